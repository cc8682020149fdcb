/*
 * options.c: how files are written, by the environment: FRAZIL_OPTIONS="goal=size,threads=2", and
 * the variables that libfrazil's netCDF calls heed as well (docs/writing_from_models.md).
 */

typedef struct {
    frz_options *options;
    int is_exact;
    int commits_wait;
    int appends;
} file_options;

/* A word and the number that it stands for. */
typedef struct {
    const char *word;
    int number;
} choice;

static const choice GOALS[] = {{"balanced", FRZ_GOAL_BALANCED}, {"size", FRZ_GOAL_SIZE},
                               {"speed", FRZ_GOAL_SPEED},       {"archive", FRZ_GOAL_ARCHIVE},
                               {"energy", FRZ_GOAL_ENERGY},     {0, 0}};
static const choice STORAGES[] = {{"any", FRZ_STORAGE_ANY},
                                  {"local", FRZ_STORAGE_LOCAL},
                                  {"disk", FRZ_STORAGE_DISK},
                                  {"parallel-fs", FRZ_STORAGE_PARALLEL_FS},
                                  {"object-store", FRZ_STORAGE_OBJECT_STORE},
                                  {0, 0}};
static const choice READERS[] = {{"any", FRZ_READERS_ANY},
                                 {"netcdf4", FRZ_READERS_ANY},
                                 {"plugins", FRZ_READERS_PLUGINS},
                                 {"frazil", FRZ_READERS_FRAZIL},
                                 {0, 0}};
static const choice CORES[] = {{"spare", FRZ_CORES_SPARE}, {"any", FRZ_CORES_ANY}, {0, 0}};
static const choice MODES[] = {{"async", 0}, {"sync", 1}, {0, 0}};
static const choice COMMITS[] = {{"background", 0}, {"wait", 1}, {0, 0}};
static const choice SWITCHES[] = {{"0", 0}, {"1", 1}, {0, 0}};

/* Options that are one of several words. */
typedef struct {
    const char *name;
    const choice *choices;
    frz_status (*set)(frz_options *options, int number);
} worded_option;

static const worded_option WORDED[] = {
    {"goal", GOALS, frz_options_set_goal},
    {"storage", STORAGES, frz_options_set_storage},
    {"readable_by", READERS, frz_options_set_readable_by},
    {"cores", CORES, frz_options_set_cores},
    {"mode", MODES, frz_options_set_synchronous},
    {"durable", SWITCHES, frz_options_set_durable},
    {"reproducible", SWITCHES, frz_options_set_reproducible},
    {"keep_plan", SWITCHES, frz_options_set_keep_plan},
    {"commit", COMMITS, 0},
    {"append", SWITCHES, 0},
    {0, 0, 0},
};

static int wrong_option(const char *name, const char *value, const char *allowed)
{
    char text[512];
    snprintf(text, sizeof text, "frazil: the option %s is \"%s\"; it must be %s", name, value,
             allowed);
    say(text);
    return LIBRARY_FAILED;
}

/* As wrong_option, with what libfrazil says of it. */
static int judged(const char *name, const char *value, frz_status status)
{
    return status == FRZ_OK ? NO_ERR : wrong_option(name, value, frz_last_message());
}

/* Sets an option that is one of several words; its name was found already. */
static int set_word(file_options *to, const worded_option *option, const char *value)
{
    char allowed[160] = "";
    for (const choice *one = option->choices; one->word; one++) {
        if (strcmp(one->word, value) == 0 && option->set)
            return judged(option->name, value, option->set(to->options, one->number));
        if (strcmp(one->word, value) == 0) {
            *(strcmp(option->name, "append") == 0 ? &to->appends : &to->commits_wait) = one->number;
            return NO_ERR;
        }
        size_t used = strlen(allowed);
        snprintf(allowed + used, sizeof allowed - used, "%s%s", used ? ", " : "one of ", one->word);
    }
    return wrong_option(option->name, value, allowed);
}

/* Bytes: 300000, 512M, 2GiB; 0 if it is none. */
static uint64_t bytes_of(const char *text)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    const char *unit = strchr("kmg", lower(*end));
    int shift = *end && unit ? 10 * (int)(unit - "kmg" + 1) : 0;
    size_t rest = strspn(end + (shift > 0), "iBb");
    int is_understood = end != text && end[(shift > 0) + rest] == '\0';
    return is_understood && number <= UINT64_MAX >> shift ? (uint64_t)number << shift : 0;
}

/* A whole number from 0; -1 if it is none. */
static int count_of(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);
    return end != text && !*end && number >= 0 && number <= 1000000 ? (int)number : -1;
}

/* Files that may ask for rounding: what the model reads again keeps every bit. */
static int set_policy(file_options *to, const char *name, const char *path)
{
    if (to->is_exact)
        return NO_ERR;
    int is_plan = strcmp(name, "plan") == 0;
    /* Streams have variables of their own. */
    frz_options_set_wishes_shared(to->options, 1);
    return judged(name, path,
                  is_plan ? frz_options_read_plan(to->options, path)
                          : frz_options_read_wishes(to->options, path));
}

static int set_number(file_options *to, const char *name, const char *value)
{
    int count = count_of(value);
    if (strcmp(name, "longest_wait") == 0) {
        double seconds = atof(value);
        return judged(name, value, frz_options_set_longest_wait(to->options, seconds));
    }
    if (strcmp(name, "memory") == 0)
        return judged(name, value, frz_options_set_memory_bytes(to->options, bytes_of(value)));
    if (count < 0)
        return wrong_option(name, value, "a number from 0");
    if (strcmp(name, "threads") == 0)
        return judged(name, value, frz_options_set_threads(to->options, count));
    return judged(name, value, frz_options_set_io_ranks(to->options, count));
}

static int set_option(file_options *to, const char *name, const char *value)
{
    static const char *const numbers[] = {"threads", "memory", "io_ranks", "longest_wait", 0};
    static const char *const policies[] = {"wishes", "policy", "plan", 0};
    for (const worded_option *option = WORDED; option->name; option++)
        if (strcmp(option->name, name) == 0)
            return set_word(to, option, value);
    if (is_among(name, numbers))
        return set_number(to, name, value);
    if (is_among(name, policies))
        return set_policy(to, name, value);
    if (strcmp(name, "filters") == 0)
        return judged(name, value, frz_options_set_filters(to->options, value));
    if (strcmp(name, "reads") == 0)
        return judged(name, value, frz_options_set_reads(to->options, value));
    return wrong_option(name, value,
                        "left out, for there is none of this name; there are goal, filters, reads, "
                        "storage, readable_by, wishes, plan, keep_plan, threads, memory, cores, "
                        "mode, durable, commit, append, reproducible, io_ranks, longest_wait");
}

/* FRAZIL_OPTIONS: name=value, with a comma between two, or a semicolon where values have commas. */
static int read_option_list(file_options *to, const char *list)
{
    char *text = strdup(list), *rest = text, *one;
    const char *between = strchr(list, ';') ? ";" : ",";
    int status = text ? NO_ERR : ALLOCATION_ERROR;
    while (status == NO_ERR && (one = strsep(&rest, between))) {
        one += strspn(one, " ");
        size_t end = trimmed(one, (fortran_length)strlen(one));
        one[end] = '\0';
        char *value = strchr(one, '=');
        if (!*one)
            continue;
        if (!value)
            status = wrong_option(one, "", "given a value: name=value");
        else {
            *value = '\0';
            status = set_option(to, one, value + 1);
        }
    }
    free(text);
    return status;
}

/* Options that have variables of their own. */
static int read_environment(file_options *to)
{
    static const struct {
        const char *variable, *option;
    } variables[] = {
        {"FRAZIL_THREADS", "threads"},         {"FRAZIL_MEMORY", "memory"},
        {"FRAZIL_CORES", "cores"},             {"FRAZIL_MODE", "mode"},
        {"FRAZIL_DURABLE", "durable"},         {"FRAZIL_READABLE_BY", "readable_by"},
        {"FRAZIL_WISHES", "wishes"},           {"FRAZIL_LONGEST_WAIT", "longest_wait"},
        {"FRAZIL_REPRODUCIBLE", "reproducible"}, {"FRAZIL_IO_RANKS", "io_ranks"},
    };
    int status = NO_ERR;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && status == NO_ERR; i++) {
        const char *value = getenv(variables[i].variable);
        if (value && *value)
            status = set_option(to, variables[i].option, value);
    }
    const char *list = getenv("FRAZIL_OPTIONS");
    return status == NO_ERR && list ? read_option_list(to, list) : status;
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
    to->options = frz_options_new();
    frz_options_set_overwrite(to->options, 1);
    /* WRF asks for a commit after each frame: chunks of one frame are written once. */
    frz_options_set_records_per_sync(to->options, 1);
    /* A frame is committed whole, or not at all. */
    frz_options_set_commit_bytes(to->options, 0);
    int status = read_environment(to);
    if (status != NO_ERR)
        frz_options_free(to->options);
    return status;
}
