/*
 * metadata_entries.c: WRF's 40 routines for metadata: get and put, of the file (dom) and of a
 * variable (var), for all times (ti) and for one (td), of five kinds.
 */

/* Finds the file, and makes a text of the element's name. */
static int begin_element(const int *handle, const char *element, fortran_length length,
                         wrf_file **file, char name[NAME_LENGTH])
{
    to_c(name, NAME_LENGTH, element, length);
    *file = file_of(handle);
    return *file ? NO_ERR : BAD_DATA_HANDLE;
}

/* An attribute of the file (`variable` is NULL) or of a variable; put where `out_count` is NULL. */
static int in_all_times(const int *handle, const char *element, fortran_length element_length,
                        const char *variable, fortran_length variable_length, metadata *data,
                        int *out_count)
{
    char name[NAME_LENGTH], variable_name[NAME_LENGTH] = "";
    wrf_file *file;
    int status = begin_element(handle, element, element_length, &file, name);
    if (status != NO_ERR)
        return status;
    if (variable)
        to_c(variable_name, sizeof variable_name, variable, variable_length);
    if (!out_count)
        return variable ? put_of_variable(file, variable_name, name, data)
                        : put_global(file, name, data);
    return variable ? get_of_variable(file, variable_name, name, data, out_count)
                    : get_global(file, name, data, out_count);
}

/* The same for one date. */
static int in_one_time(const int *handle, const char *element, fortran_length element_length,
                       const char *date_text, fortran_length date_length, const char *variable,
                       fortran_length variable_length, metadata *data, int *out_count)
{
    char element_name[NAME_LENGTH], variable_name[NAME_LENGTH] = WHOLE_FILE, name[NAME_LENGTH];
    char date[DATE_LENGTH + 1];
    wrf_file *file;
    int status = begin_element(handle, element, element_length, &file, element_name);
    if (status == NO_ERR)
        status = read_date(date_text, date_length, date);
    if (status != NO_ERR)
        return status;
    if (variable)
        to_c(variable_name, sizeof variable_name, variable, variable_length);
    name_in_time(element_name, variable_name, name);
    return out_count ? get_in_time(file, name, date, data, out_count)
                     : put_in_time(file, name, date, data);
}

#define PUT_NUMBERS(kind, KIND, type)                                                              \
    void ENTRY(put_dom_ti_##kind)(const int *handle, const char *element, type *data,              \
                                  const int *count, int *status, fortran_length element_length)    \
    {                                                                                              \
        metadata given = {KIND, data, *count, 0};                                                  \
        *status = in_all_times(handle, element, element_length, NULL, 0, &given, NULL);            \
    }                                                                                              \
    void ENTRY(put_var_ti_##kind)(const int *handle, const char *element, const char *variable,    \
                                  type *data, const int *count, int *status,                       \
                                  fortran_length element_length, fortran_length variable_length)   \
    {                                                                                              \
        metadata given = {KIND, data, *count, 0};                                                  \
        *status = in_all_times(handle, element, element_length, variable, variable_length, &given, \
                               NULL);                                                              \
    }                                                                                              \
    void ENTRY(put_dom_td_##kind)(const int *handle, const char *element, const char *date,        \
                                  type *data, const int *count, int *status,                       \
                                  fortran_length element_length, fortran_length date_length)       \
    {                                                                                              \
        metadata given = {KIND, data, *count, 0};                                                  \
        *status = in_one_time(handle, element, element_length, date, date_length, NULL, 0, &given, \
                              NULL);                                                               \
    }                                                                                              \
    void ENTRY(put_var_td_##kind)(const int *handle, const char *element, const char *date,        \
                                  const char *variable, type *data, const int *count, int *status, \
                                  fortran_length element_length, fortran_length date_length,       \
                                  fortran_length variable_length)                                  \
    {                                                                                              \
        metadata given = {KIND, data, *count, 0};                                                  \
        *status = in_one_time(handle, element, element_length, date, date_length, variable,        \
                              variable_length, &given, NULL);                                      \
    }

#define GET_NUMBERS(kind, KIND, type)                                                              \
    void ENTRY(get_dom_ti_##kind)(const int *handle, const char *element, type *data,              \
                                  const int *count, int *out_count, int *status,                   \
                                  fortran_length element_length)                                   \
    {                                                                                              \
        metadata wanted = {KIND, data, *count, 0};                                                 \
        *status = in_all_times(handle, element, element_length, NULL, 0, &wanted, out_count);      \
    }                                                                                              \
    void ENTRY(get_var_ti_##kind)(const int *handle, const char *element, const char *variable,    \
                                  type *data, const int *count, int *out_count, int *status,       \
                                  fortran_length element_length, fortran_length variable_length)   \
    {                                                                                              \
        metadata wanted = {KIND, data, *count, 0};                                                 \
        *status = in_all_times(handle, element, element_length, variable, variable_length,         \
                               &wanted, out_count);                                                \
    }                                                                                              \
    void ENTRY(get_dom_td_##kind)(const int *handle, const char *element, const char *date,        \
                                  type *data, const int *count, int *out_count, int *status,       \
                                  fortran_length element_length, fortran_length date_length)       \
    {                                                                                              \
        metadata wanted = {KIND, data, *count, 0};                                                 \
        *status = in_one_time(handle, element, element_length, date, date_length, NULL, 0,         \
                              &wanted, out_count);                                                 \
    }                                                                                              \
    void ENTRY(get_var_td_##kind)(const int *handle, const char *element, const char *date,        \
                                  const char *variable, type *data, const int *count,              \
                                  int *out_count, int *status, fortran_length element_length,      \
                                  fortran_length date_length, fortran_length variable_length)      \
    {                                                                                              \
        metadata wanted = {KIND, data, *count, 0};                                                 \
        *status = in_one_time(handle, element, element_length, date, date_length, variable,        \
                              variable_length, &wanted, out_count);                                \
    }

/* Texts have no counts: `OUT` is NULL for put, and the place of a count that nobody wants for get. */
#define MOVE_TEXT(verb, OUT)                                                                       \
    void ENTRY(verb##_dom_ti_char)(const int *handle, const char *element, char *data,             \
                                   int *status, fortran_length element_length,                     \
                                   fortran_length data_length)                                     \
    {                                                                                              \
        int unwanted;                                                                              \
        metadata text = {KIND_CHAR, data, 1, data_length};                                         \
        (void)unwanted;                                                                            \
        *status = in_all_times(handle, element, element_length, NULL, 0, &text, OUT);              \
    }                                                                                              \
    void ENTRY(verb##_var_ti_char)(const int *handle, const char *element, const char *variable,   \
                                   char *data, int *status, fortran_length element_length,         \
                                   fortran_length variable_length, fortran_length data_length)     \
    {                                                                                              \
        int unwanted;                                                                              \
        metadata text = {KIND_CHAR, data, 1, data_length};                                         \
        (void)unwanted;                                                                            \
        *status =                                                                                  \
            in_all_times(handle, element, element_length, variable, variable_length, &text, OUT);  \
    }                                                                                              \
    void ENTRY(verb##_dom_td_char)(const int *handle, const char *element, const char *date,       \
                                   char *data, int *status, fortran_length element_length,         \
                                   fortran_length date_length, fortran_length data_length)         \
    {                                                                                              \
        int unwanted;                                                                              \
        metadata text = {KIND_CHAR, data, 1, data_length};                                         \
        (void)unwanted;                                                                            \
        *status = in_one_time(handle, element, element_length, date, date_length, NULL, 0, &text,  \
                              OUT);                                                                \
    }                                                                                              \
    void ENTRY(verb##_var_td_char)(const int *handle, const char *element, const char *date,       \
                                   const char *variable, char *data, int *status,                  \
                                   fortran_length element_length, fortran_length date_length,      \
                                   fortran_length variable_length, fortran_length data_length)     \
    {                                                                                              \
        int unwanted;                                                                              \
        metadata text = {KIND_CHAR, data, 1, data_length};                                         \
        (void)unwanted;                                                                            \
        *status = in_one_time(handle, element, element_length, date, date_length, variable,        \
                              variable_length, &text, OUT);                                        \
    }

PUT_NUMBERS(real, KIND_REAL, float)
PUT_NUMBERS(double, KIND_DOUBLE, double)
PUT_NUMBERS(integer, KIND_INTEGER, int)
PUT_NUMBERS(logical, KIND_LOGICAL, int)
GET_NUMBERS(real, KIND_REAL, float)
GET_NUMBERS(double, KIND_DOUBLE, double)
GET_NUMBERS(integer, KIND_INTEGER, int)
GET_NUMBERS(logical, KIND_LOGICAL, int)
MOVE_TEXT(put, NULL)
MOVE_TEXT(get, &unwanted)
