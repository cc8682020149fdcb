/*
 * commit.c: what makes a frame permanent: its last field does, a new date, or WRF's iosync. A file
 * that one task writes is committed by a thread of its own, while the model computes; the next frame,
 * or the end, waits for it and gets its errors.
 * With several tasks each calls MPI from the thread that called the package, so that commits are
 * made in the calls.
 */

static void *commit_behind(void *argument)
{
    wrf_file *file = argument;
    file->commit_status = frz_sync(file->writer);
    if (file->commit_status != FRZ_OK)
        snprintf(file->commit_message, sizeof file->commit_message, "%s", frz_last_message());
    return NULL;
}

/* Waits for the commit that was begun; the file's next call gives its status. */
static void wait_for_commit(wrf_file *file)
{
    if (file->is_committing)
        pthread_join(file->committer, NULL);
    file->is_committing = 0;
}

/* What cannot be written is lost: ends the run in WRF's own way, unless the user wants it to go on. Frames
 * of other files are made permanent first. */
static int lose(const wrf_file *file, const char *doing, const char *message)
{
    char text[MESSAGE_LENGTH + PATH_LENGTH];
    describe(text, sizeof text, file, doing, message);
    int status = fail(file, doing, message);
    if (!file->goes_on && wrf_error_fatal_) {
        for (int i = 0; i < MAX_HANDLES; i++)
            if (handles[i])
                wait_for_commit(handles[i]);
        wrf_error_fatal_(text, (fortran_length)strlen(text));
    }
    return status;
}

/* The status of WRF for one of libfrazil that says whether something was written. */
static int written(const wrf_file *file, const char *doing, frz_status status)
{
    return status == FRZ_OK ? NO_ERR : lose(file, doing, frz_last_message());
}

/* Waits for the commit that was begun, if there is one; gives its status. */
static int finish_commit(wrf_file *file)
{
    wait_for_commit(file);
    if (file->commit_status == FRZ_OK)
        return NO_ERR;
    file->commit_status = FRZ_OK;
    return lose(file, "commit of", file->commit_message);
}

/* Lets nothing of a file that the model reads again become permanent before the frames of history
 * that it wrote earlier: a run that begins again from the file does not write them anew. */
static void wait_for_history(const wrf_file *file)
{
    for (int i = 0; i < MAX_HANDLES && file->is_exact; i++)
        if (handles[i] && handles[i] != file)
            wait_for_commit(handles[i]);
}

/* Commits what was put, if anything was since the last time. */
static int commit(wrf_file *file)
{
    int status = file->is_dirty ? finish_commit(file) : NO_ERR;
    if (!file->is_dirty || status != NO_ERR)
        return status;
    file->is_dirty = 0;
    wait_for_history(file);
    int may_thread = !file->is_shared && !file->commits_wait;
    if (may_thread && pthread_create(&file->committer, NULL, commit_behind, file) == 0) {
        file->is_committing = 1;
        return NO_ERR;
    }
    return written(file, "commit of", frz_sync(file->writer));
}
