// The folder by which Jupyter knows a kernel.
#pragma once

#include <filesystem>
#include <string>

namespace tide::jupyter {

/// The folder below Jupyter's data folder `data`, such as ~/.local/share/jupyter.
std::filesystem::path kernel_spec_folder(const std::filesystem::path& data);

/// The data folder of the user: $JUPYTER_DATA_DIR, else $XDG_DATA_HOME/jupyter, else
/// ~/.local/share/jupyter. Throws std::runtime_error without a home.
std::filesystem::path user_data_folder();

/// Writes the folder of a kernel, given the text of its kernel.json. Throws std::exception.
void write_kernel_spec(const std::filesystem::path& folder, const std::string& spec);

/// Removes what write_kernel_spec wrote. Throws std::exception if it is not there.
void remove_kernel_spec(const std::filesystem::path& folder);

}  // namespace tide::jupyter
