/*
 * A small model that writes a record of two fields at every step.
 *
 *     write_records FILE [STEPS]
 *
 * Nothing is said about chunks, filters or buffers: that is frazil's part.
 */
#include <frazil.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NLAT 90
#define NLON 180
#define RADIANS (3.14159265358979323846 / 180.0)

/* Every call can fail: one line per call is enough. */
static void must(frz_status status)
{
    if (status == FRZ_OK)
        return;
    fprintf(stderr, "write_records: %s (%s)\n", frz_last_message(), frz_strerror(status));
    exit(EXIT_FAILURE);
}

static void compute(int step, float *temperature, float *pressure)
{
    int i, j;

    for (j = 0; j < NLAT; j++)
        for (i = 0; i < NLON; i++) {
            double wave = sin((2.0 * i + 3.0 * step) * RADIANS) * cos((2.0 * j - 89.0) * RADIANS);
            temperature[j * NLON + i] = (float)(288.0 + 12.0 * wave);
            pressure[j * NLON + i] = (float)(1.0e5 + 800.0 * wave * wave);
        }
}

static void write_coordinates(frz_writer *writer, int latitude, int longitude)
{
    double lat[NLAT], lon[NLON];
    int i;

    for (i = 0; i < NLAT; i++)
        lat[i] = -89.0 + 2.0 * i;
    for (i = 0; i < NLON; i++)
        lon[i] = 2.0 * i;
    /* No start and no count: the whole variable. */
    must(frz_put(writer, latitude, NULL, NULL, NULL, FRZ_DOUBLE, lat));
    must(frz_put(writer, longitude, NULL, NULL, NULL, FRZ_DOUBLE, lon));
}

int main(int argc, char **argv)
{
    static float temperature[NLAT * NLON], pressure[NLAT * NLON];
    int steps = argc > 2 ? atoi(argv[2]) : 24;
    frz_writer *writer;
    frz_report report;
    int dims[3], time, latitude, longitude, t, p, step;

    if (argc < 2) {
        fprintf(stderr, "usage: write_records FILE [STEPS]\n");
        return 2;
    }

    must(frz_create(argv[1], NULL, &writer));
    must(frz_put_group_attribute_text(writer, FRZ_ROOT, "Conventions", "CF-1.12"));
    must(frz_add_unlimited_dimension(writer, FRZ_ROOT, "time", (uint64_t)steps, &dims[0]));
    must(frz_add_dimension(writer, FRZ_ROOT, "lat", NLAT, &dims[1]));
    must(frz_add_dimension(writer, FRZ_ROOT, "lon", NLON, &dims[2]));
    must(frz_add_variable(writer, FRZ_ROOT, "time", FRZ_DOUBLE, 1, &dims[0], &time));
    must(frz_put_attribute_text(writer, time, "units", "hours since 2000-01-01"));
    must(frz_add_variable(writer, FRZ_ROOT, "lat", FRZ_DOUBLE, 1, &dims[1], &latitude));
    must(frz_put_attribute_text(writer, latitude, "units", "degrees_north"));
    must(frz_add_variable(writer, FRZ_ROOT, "lon", FRZ_DOUBLE, 1, &dims[2], &longitude));
    must(frz_put_attribute_text(writer, longitude, "units", "degrees_east"));
    must(frz_add_variable(writer, FRZ_ROOT, "temperature", FRZ_FLOAT, 3, dims, &t));
    must(frz_put_attribute_text(writer, t, "units", "K"));
    must(frz_add_variable(writer, FRZ_ROOT, "pressure", FRZ_FLOAT, 3, dims, &p));
    must(frz_put_attribute_text(writer, p, "units", "Pa"));
    write_coordinates(writer, latitude, longitude);

    for (step = 0; step < steps; step++) {
        uint64_t start[3] = {0, 0, 0};
        const uint64_t count[3] = {1, NLAT, NLON};

        start[0] = (uint64_t)step;
        compute(step, temperature, pressure);
        must(frz_put1_double(writer, time, start, (double)step));
        must(frz_put(writer, t, start, count, NULL, FRZ_FLOAT, temperature));
        must(frz_put(writer, p, start, count, NULL, FRZ_FLOAT, pressure));
        /* What is synced is seen by readers, and survives whatever happens to this program. */
        if (step % 10 == 9)
            must(frz_sync(writer));
    }

    report.size_bytes = sizeof report;
    must(frz_close(writer, &report));
    printf("%.1f MB became %.1f MB (1 : %.1f); the program waited %.3f s for output\n",
           (double)report.raw_bytes / 1e6, (double)report.stored_bytes / 1e6, report.ratio,
           report.stalled_seconds);
    printf("%llu commits wrote %.1f MB: a sync packs what is there, and packs it again when more has come\n",
           (unsigned long long)report.commits, (double)report.written_bytes / 1e6);
    return EXIT_SUCCESS;
}
