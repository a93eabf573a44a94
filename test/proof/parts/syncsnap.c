// Keeps beside a folder what a disk would hold of it that lost every write which was not flushed. Loaded into a program by
// LD_PRELOAD. Each fsync and fdatasync copies its file. Names that are made, moved and removed are so on the disk at once, or
// with SNAP_LATE when their folder is flushed: both may happen. New folders are there at once.
//   SYNC_DIR      the folder, as realpath shows it
//   SNAP_DIR      what is on the disk of it
//   SNAP_LOG      a byte for each step so far, and the lock under which steps are taken by all processes
//   SNAP_LATE     absent, or a folder for files that were flushed and whose names were not
//   SNAP_CUT      absent, or the step before which the power goes
//   SNAP_FORGETS  a disk that says so but never flushes files whose names end like this
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/** Where a file of the folder is on the disk; 0 for one that is elsewhere. */
static int on_disk(const char *path, char *place) {
  const char *live = getenv("SYNC_DIR"), *snap = getenv("SNAP_DIR");
  if (!live || !snap) return 0;
  size_t length = strlen(live);
  if (strncmp(path, live, length) != 0 || path[length] != '/') return 0;
  return snprintf(place, PATH_MAX, "%s%s", snap, path + length) < PATH_MAX;
}

/** The same of a path as a program gives it: its folder is resolved, its last name is not. */
static int named_on_disk(int folder, const char *path, char *place) {
  char text[PATH_MAX], parent[PATH_MAX], full[2 * PATH_MAX];
  if (path[0] == '/' || folder == AT_FDCWD) {
    snprintf(text, sizeof text, "%s", path);
  } else {
    char link[64], base[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t n = readlink(link, base, sizeof base - 1);
    if (n < 0) return 0;
    base[n] = 0;
    if (snprintf(text, sizeof text, "%s/%s", base, path) >= (int)sizeof text) return 0;
  }
  char *slash = strrchr(text, '/');
  if (slash) *slash = 0;
  if (!realpath(!slash ? "." : slash == text ? "/" : text, parent)) return 0;
  snprintf(full, sizeof full, "%s/%s", strcmp(parent, "/") ? parent : "", slash ? slash + 1 : text);
  return on_disk(full, place);
}

static int open_file(const char *path, int flags, mode_t mode) { return open(path, flags | O_CLOEXEC, mode); }

/** One step after the other in all processes. The power may go instead. */
static int begin_step(void) {
  int log = open_file(getenv("SNAP_LOG"), O_RDWR | O_CREAT | O_APPEND, 0600);
  struct stat info;
  if (log < 0 || flock(log, LOCK_EX) != 0 || write(log, ".", 1) != 1 || fstat(log, &info) != 0) abort();
  const char *cut = getenv("SNAP_CUT");
  if (cut && info.st_size >= atoll(cut)) kill(getpid(), SIGKILL);
  return log;
}

static int exists(const char *path) { return access(path, F_OK) == 0; }

/** Where what is flushed waits for its name; 0 when names are on the disk at once. */
static int waiting_for_name(const char *place, char *waiting) {
  const char *late = getenv("SNAP_LATE");
  if (!late) return 0;
  if (snprintf(waiting, PATH_MAX, "%s%s", late, place + strlen(getenv("SNAP_DIR"))) >= PATH_MAX) abort();
  for (char *slash = waiting + strlen(late) + 1; (slash = strchr(slash, '/')) != 0; slash++) {
    *slash = 0;
    REAL(mkdir)(waiting, 0700);
    *slash = '/';
  }
  return 1;
}

static char buffer[1 << 20];

/**
 * A file as it is now, whole or not at all. It is read through the descriptor that was flushed: opening a database and
 * closing it again would take away every lock that the process has on it.
 */
static void copy_file(int file, const char *place) {
  char temporary[PATH_MAX], link[64], waiting[PATH_MAX];
  struct stat info;
  if (waiting_for_name(place, waiting) && (exists(waiting) || !exists(place))) place = waiting;
  snprintf(temporary, sizeof temporary, "%s.copy", getenv("SNAP_LOG"));
  int opened = -1;
  if ((fcntl(file, F_GETFL) & O_ACCMODE) == O_WRONLY) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    file = opened = open_file(link, O_RDONLY, 0);
  }
  if (fstat(file, &info) != 0) abort();
  int copy = open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  off_t at = 0;
  ssize_t n;
  while ((n = pread(file, buffer, sizeof buffer, at)) > 0) {
    if (write(copy, buffer, n) != n) abort();
    at += n;
  }
  if (n < 0 || fchmod(copy, info.st_mode & 07777) != 0) abort();
  close(copy);
  if (opened >= 0) close(opened);
  if (REAL(rename)(temporary, place) != 0) abort();
}

/** The names in a folder are on the disk as they are now. */
static void flush_names(const char *folder, const char *place) {
  char path[2 * PATH_MAX], named[2 * PATH_MAX], waiting[PATH_MAX];
  struct dirent *entry;
  DIR *names = opendir(place);
  while (names && (entry = readdir(names)) != 0) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    snprintf(named, sizeof named, "%s/%s", place, entry->d_name);
    if (!exists(path)) REAL(unlink)(named);
  }
  if (names) closedir(names);
  if (!waiting_for_name(place, waiting)) return;
  names = opendir(waiting);
  while (names && (entry = readdir(names)) != 0) {
    snprintf(path, sizeof path, "%s/%s", waiting, entry->d_name);
    snprintf(named, sizeof named, "%s/%s", place, entry->d_name);
    if (entry->d_type == DT_REG) REAL(rename)(path, named);
  }
  if (names) closedir(names);
}

static int flushed(int file, int result) {
  const int kept = errno;
  const char *forgets = getenv("SNAP_FORGETS");
  char link[64], path[PATH_MAX], place[PATH_MAX];
  struct stat info;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t n = result == 0 ? readlink(link, path, sizeof path - 1) : -1;
  if (n > 0 && fstat(file, &info) == 0 && info.st_nlink > 0) {
    path[n] = 0;
    const size_t end = forgets ? strlen(forgets) : 0;
    const int is_forgotten = end > 0 && (size_t)n >= end && strcmp(path + n - end, forgets) == 0;
    if (!is_forgotten && on_disk(path, place)) {
      int step = begin_step();
      if (S_ISREG(info.st_mode)) copy_file(file, place);
      if (S_ISDIR(info.st_mode)) flush_names(path, place);
      close(step);
    }
  }
  errno = kept;
  return result;
}

int fsync(int file) { return flushed(file, REAL(fsync)(file)); }
int fdatasync(int file) { return flushed(file, REAL(fdatasync)(file)); }

/** A name for what was never flushed: the name arrived, and nothing of what it names. */
static void name_nothing(const char *place) {
  int empty = open_file(place, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (empty >= 0) close(empty);
}

static int is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/** What was flushed of a file gets another name. @param old empty for a file that is not in the folder */
static void name_again(const char *old, const char *place, int keeps_old) {
  char old_waiting[PATH_MAX], waiting[PATH_MAX];
  const int is_late = waiting_for_name(place, waiting);
  if (*old && is_folder(old)) {
    if (is_late && waiting_for_name(old, old_waiting)) REAL(rename)(old_waiting, waiting);
    REAL(rename)(old, place);
    return;
  }
  const char *target = is_late ? waiting : place;
  const char *source = old;
  if (*old && is_late && waiting_for_name(old, old_waiting) && exists(old_waiting)) source = old_waiting;
  if (!*source || !exists(source)) {
    name_nothing(target);
    return;
  }
  // The old name stays on the disk until its folder is flushed.
  const int keeps_source = keeps_old || (is_late && source == old);
  if (!keeps_source) {
    REAL(rename)(source, target);
    return;
  }
  REAL(unlink)(target);
  if (REAL(link)(source, target) != 0) abort();
}

static int named(int from_folder, const char *from, int to_folder, const char *to, int keeps_old, int result) {
  const int kept = errno;
  char old[PATH_MAX], place[PATH_MAX];
  if (result == 0 && named_on_disk(to_folder, to, place)) {
    int step = begin_step();
    if (!named_on_disk(from_folder, from, old)) *old = 0;
    name_again(old, place, keeps_old);
    close(step);
  }
  errno = kept;
  return result;
}

int rename(const char *from, const char *to) { return named(AT_FDCWD, from, AT_FDCWD, to, 0, REAL(rename)(from, to)); }
int renameat(int a, const char *from, int b, const char *to) { return named(a, from, b, to, 0, REAL(renameat)(a, from, b, to)); }
int link(const char *from, const char *to) { return named(AT_FDCWD, from, AT_FDCWD, to, 1, REAL(link)(from, to)); }

static int removed(int folder, const char *path, int result) {
  const int kept = errno;
  char place[PATH_MAX], waiting[PATH_MAX];
  if (result == 0 && named_on_disk(folder, path, place)) {
    int step = begin_step();
    const int is_late = waiting_for_name(place, waiting);
    if (is_late) REAL(unlink)(waiting);
    if (is_folder(place)) REAL(rmdir)(place);
    else if (!is_late) REAL(unlink)(place);
    close(step);
  }
  errno = kept;
  return result;
}

int unlink(const char *path) { return removed(AT_FDCWD, path, REAL(unlink)(path)); }
int rmdir(const char *path) { return removed(AT_FDCWD, path, REAL(rmdir)(path)); }
int remove(const char *path) { return removed(AT_FDCWD, path, REAL(remove)(path)); }
int unlinkat(int folder, const char *path, int flags) { return removed(folder, path, REAL(unlinkat)(folder, path, flags)); }

int mkdir(const char *path, mode_t mode) {
  const int result = REAL(mkdir)(path, mode);
  const int kept = errno;
  char place[PATH_MAX];
  if (result == 0 && named_on_disk(AT_FDCWD, path, place)) {
    int step = begin_step();
    REAL(mkdir)(place, mode);
    close(step);
  }
  errno = kept;
  return result;
}
