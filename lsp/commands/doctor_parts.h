// The parts of `hearth doctor`.
#pragma once

#include <string>

namespace hearth::commands {

// Whether the file is indexed and if not, why; its summary; which files it leans on and which import it. The
// exit code.
int doctor_file(const std::string& file, bool as_json);

}  // namespace hearth::commands
