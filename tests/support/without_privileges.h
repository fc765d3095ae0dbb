// While it lives, this thread and those that it starts obey the modes of files, as root need not.
#pragma once

#include <array>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hearth::testing {

class WithoutPrivileges {
 public:
  WithoutPrivileges() {
    ::syscall(SYS_capget, &header_, before_.data());
    auto less = before_;
    less[0].effective &= ~(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH);
    ::syscall(SYS_capset, &header_, less.data());
  }
  ~WithoutPrivileges() { ::syscall(SYS_capset, &header_, before_.data()); }
  WithoutPrivileges(const WithoutPrivileges&) = delete;
  WithoutPrivileges& operator=(const WithoutPrivileges&) = delete;

 private:
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> before_{};
};

}  // namespace hearth::testing
