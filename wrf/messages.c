/* messages.c: what is said, by WRF's own routines where there are such, and texts of Fortran. */

/* WRF's routines; a program without WRF has none. */
extern void wrf_message_(const char *text, fortran_length length) __attribute__((weak));
extern void wrf_debug_(const int *level, const char *text, fortran_length length)
    __attribute__((weak));
/* Does not return. */
extern void wrf_error_fatal_(const char *text, fortran_length length) __attribute__((weak));

/* Says what the user must know, whatever the debug_level. */
static void say(const char *text)
{
    if (wrf_message_)
        wrf_message_(text, (fortran_length)strlen(text));
    else
        fprintf(stderr, "%s\n", text);
}

/* Says what matters to those only who ask for it: debug_level 1 or more. */
static int warn(int status, const char *what, const char *name)
{
    char text[MESSAGE_LENGTH];
    int level = 1;
    snprintf(text, sizeof text, "frazil: %s: %s (status %d)", what, name, status);
    if (wrf_debug_)
        wrf_debug_(&level, text, (fortran_length)strlen(text));
    return status;
}

/* What failed with a file, and why. */
static void describe(char *text, size_t room, const wrf_file *file, const char *doing,
                     const char *message)
{
    const char *named = strstr(message, file->path) ? "" : file->path;
    snprintf(text, room, "frazil: %s %s%s%s", doing, named, *named ? ": " : "", message);
}

/* Says what libfrazil refused, and makes it a status of WRF. The model goes on after errors: a cause
 * that every field of every frame meets is said once. */
static int fail(const wrf_file *file, const char *doing, const char *message)
{
    static char said[MESSAGE_LENGTH + PATH_LENGTH];
    char text[MESSAGE_LENGTH + PATH_LENGTH], cause[MESSAGE_LENGTH + PATH_LENGTH];
    const char *named = strstr(message, file->path) ? "" : file->path;
    snprintf(cause, sizeof cause, "%s%s%s", named, *named ? ": " : "", message);
    describe(text, sizeof text, file, doing, message);
    if (strcmp(cause, said) != 0)
        say(text);
    snprintf(said, sizeof said, "%s", cause);
    return LIBRARY_FAILED;
}

/* The status of WRF for one of libfrazil. */
static int checked(const wrf_file *file, const char *doing, frz_status status)
{
    return status == FRZ_OK ? NO_ERR : fail(file, doing, frz_last_message());
}

/* The length of a Fortran text without the blanks (or NULs) at its end. */
static size_t trimmed(const char *text, fortran_length length)
{
    size_t end = (size_t)length;
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\0'))
        end--;
    return end;
}

/* A Fortran text as one of C, cut where there is no room, without blanks around it. */
static void to_c(char *to, size_t room, const char *text, fortran_length length)
{
    size_t end = trimmed(text, length), start = 0;
    while (start < end && text[start] == ' ')
        start++;
    size_t count = end - start < room ? end - start : room - 1;
    memcpy(to, text + start, count);
    to[count] = '\0';
}

/* A C text as one of Fortran, filled with blanks; 0 if it was cut. */
static int to_fortran(char *to, fortran_length length, const char *text, size_t count)
{
    size_t room = (size_t)length, copied = count < room ? count : room;
    memcpy(to, text, copied);
    memset(to + copied, ' ', room - copied);
    return copied == count;
}

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter + 'a' - 'A') : letter;
}
