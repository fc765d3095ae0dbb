// SQLite's disk full for as long as this lives: every write of its files fails as there. One at a time.
#pragma once

#include <cerrno>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/types.h>

namespace hearth::testing {

class FullDisk {
 public:
  FullDisk() { set_writes(reinterpret_cast<sqlite3_syscall_ptr>(&refuse)); }
  ~FullDisk() { set_writes(nullptr); }  // what it was
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  static ssize_t refuse(int, const void*, size_t, off_t) {
    errno = ENOSPC;
    return -1;
  }

  // SQLite writes by the one of them that its build found.
  static void set_writes(sqlite3_syscall_ptr function) {
    sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
    for (const char* name : {"pwrite", "pwrite64"})
      EXPECT_EQ(SQLITE_OK, system->xSetSystemCall(system, name, function));
  }
};

}  // namespace hearth::testing
