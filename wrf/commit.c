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

/* Waits for the commit that was begun, if there is one; gives its status. */
static int finish_commit(wrf_file *file)
{
    if (!file->is_committing)
        return NO_ERR;
    pthread_join(file->committer, NULL);
    file->is_committing = 0;
    if (file->commit_status == FRZ_OK)
        return NO_ERR;
    return fail(file, "commit of", file->commit_message);
}

/* Commits what was put, if anything was since the last time. */
static int commit(wrf_file *file)
{
    int status = file->is_dirty ? finish_commit(file) : NO_ERR;
    if (!file->is_dirty || status != NO_ERR)
        return status;
    file->is_dirty = 0;
    int may_thread = !file->is_shared && !file->commits_wait;
    if (may_thread && pthread_create(&file->committer, NULL, commit_behind, file) == 0) {
        file->is_committing = 1;
        return NO_ERR;
    }
    return checked(file, "commit of", frz_sync(file->writer));
}
