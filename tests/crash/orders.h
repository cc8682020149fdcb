/* Orders of a program: words `name=number`, with defaults. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A table of these ends with a name that is NULL. */
struct order {
    const char *name;
    uint64_t value;
};

/* The value with a name; NULL if there is none. */
static uint64_t *order_in(struct order *all, const char *name, size_t length) {
    for (; all->name; all++)
        if (strlen(all->name) == length && !strncmp(all->name, name, length))
            return &all->value;
    return NULL;
}

/* Takes the orders of a command line; 0 if one is unknown. */
static int read_orders(struct order *all, int count, char **words) {
    for (int i = 0; i < count; i++) {
        size_t length = strcspn(words[i], "=");
        uint64_t *value = order_in(all, words[i], length);
        if (!value || !words[i][length])
            return 0;
        *value = strtoull(words[i] + length + 1, NULL, 10);
    }
    return 1;
}
