/*
 * options.c: how files are written, by the environment: FRAZIL_OPTIONS="goal=size,threads=2", and
 * the variables that libfrazil's netCDF calls heed as well (docs/options.md). libfrazil understands
 * them; only `commit`, `append` and `errors` are the package's
 * own.
 */

typedef struct {
    frz_options *options;
    int is_exact;
    int commits_wait;
    int appends;
    int goes_on;
} file_options;

/* An option of the package: its two values, the first one by default. */
typedef struct {
    const char *name;
    const char *values[2];
} own_option;

static const own_option COMMIT = {"commit", {"background", "wait"}};
static const own_option APPEND = {"append", {"0", "1"}};
/* What becomes of the run when output cannot be written. WRF itself goes on after errors in history. */
static const own_option ERRORS = {"errors", {"stop", "report"}};

/* Looks for an option in FRAZIL_OPTIONS: the number of its value, the last one stated. */
static int read_own_option(const own_option *option, int *number)
{
    const char *list = getenv("FRAZIL_OPTIONS");
    char *text = strdup(list ? list : ""), *rest = text, *one;
    const char *between = text && strchr(text, ';') ? ";" : ",";
    int status = text ? NO_ERR : ALLOCATION_ERROR;
    size_t length = strlen(option->name);
    while (status == NO_ERR && (one = strsep(&rest, between))) {
        one += strspn(one, " ");
        if (strncmp(one, option->name, length) != 0 || one[length] != '=')
            continue;
        char *value = one + length + 1;
        value[trimmed(value, (fortran_length)strlen(value))] = '\0';
        int is_second = strcmp(value, option->values[1]) == 0;
        if (is_second || strcmp(value, option->values[0]) == 0)
            *number = is_second;
        else {
            char words[256];
            snprintf(words, sizeof words, "frazil: the option %s is \"%s\"; it must be %s or %s",
                     option->name, value, option->values[0], option->values[1]);
            say(words);
            status = LIBRARY_FAILED;
        }
    }
    free(text);
    return status;
}

/* Options that the user states; libfrazil names the one that it does not understand. */
static int read_environment(file_options *to)
{
    if (frz_options_read_environment(to->options) != FRZ_OK) {
        char words[1024];
        snprintf(words, sizeof words, "frazil: %s", frz_last_message());
        say(words);
        return LIBRARY_FAILED;
    }
    if (to->is_exact) {
        /* What the model reads again keeps every bit. */
        frz_options_read_precision(to->options, 0);
        frz_options_set_plan(to->options, 0);
    }
    int status = read_own_option(&COMMIT, &to->commits_wait);
    if (status == NO_ERR)
        status = read_own_option(&APPEND, &to->appends);
    return status == NO_ERR ? read_own_option(&ERRORS, &to->goes_on) : status;
}

/* Whether a stream is output that the model never reads again. */
static int is_history(const char *description)
{
    const char *kind = strstr(description, "DATASET=");
    kind = kind ? kind + strlen("DATASET=") : "";
    return strncmp(kind, "HISTORY", 7) == 0 || strncmp(kind, "AUXHIST", 7) == 0;
}

/* The options of a file that WRF describes like this ("DATASET=HISTORY,GRIDID=1"). */
static int options_for(const char *description, file_options *to)
{
    to->is_exact = !is_history(description);
    to->commits_wait = 0;
    to->appends = 0;
    to->goes_on = 0;
    to->options = frz_options_new();
    int status = read_environment(to);
    if (status != NO_ERR) {
        frz_options_free(to->options);
        return status;
    }
    frz_options_set_overwrite(to->options, 1);
    /* WRF asks for a commit after each frame: chunks of one frame are written once. */
    frz_options_set_records_per_sync(to->options, 1);
    /* A frame is committed whole, or not at all. */
    frz_options_set_commit_bytes(to->options, 0);
    return NO_ERR;
}
