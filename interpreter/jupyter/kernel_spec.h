// The folder in which Jupyter finds a kernel.
#pragma once

#include <filesystem>
#include <string>

namespace tide::jupyter {

/// The kernel's folder in Jupyter's data folder `data`, such as ~/.local/share/jupyter.
std::filesystem::path kernel_spec_folder(const std::filesystem::path& data);

/// The user's data folder: $JUPYTER_DATA_DIR, else $XDG_DATA_HOME/jupyter, else
/// ~/.local/share/jupyter. Throws std::runtime_error if HOME is not set.
std::filesystem::path user_data_folder();

/// Writes the folder of a kernel, given the text of its kernel.json. Throws std::exception.
void write_kernel_spec(const std::filesystem::path& folder, const std::string& spec);

/// Removes the files of write_kernel_spec. Throws std::exception if they do not exist.
void remove_kernel_spec(const std::filesystem::path& folder);

}  // namespace tide::jupyter
