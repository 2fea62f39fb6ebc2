/*
 * replay.c - runs a fuzz target on files, or on all files of folders, without a fuzzer: with any
 * compiler, and with the program's own main. Of a target that counts which inputs it takes, a third
 * of a corpus must be taken: else the inputs are of another format than the code.
 *
 *     replay FILE-OR-FOLDER...
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

extern long inputs_taken __attribute__((weak));

enum { A_CORPUS = 50 };

static long replayed;

static void replay_file(const char *path) {
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    uint8_t *copy = malloc(size + 1); /* of its own size, so that a sanitizer sees its end */
    if (copy == NULL)
        exit(1);
    memcpy(copy, bytes, size);
    fprintf(stderr, "%s\n", path); /* the last one named is the one that failed */
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    replayed++;
}

static void replay(const char *path) {
    DIR *folder = opendir(path);
    if (folder == NULL) {
        replay_file(path);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        replay_file(name);
    }
    closedir(folder);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%ld inputs replayed\n", replayed);
    if (&inputs_taken != NULL && replayed >= A_CORPUS && inputs_taken * 3 < replayed) {
        fprintf(stderr, "only %ld of %ld inputs are taken: see fuzz/README.md\n", inputs_taken,
                replayed);
        return 1;
    }
    return 0;
}
