"""The workloads of `tide bench` that read files, in PyTorch with Pillow and safetensors' own reader."""
import os
import tempfile

from peer_units import MI, PICTURES


def write_pictures(folder):
    """Writes what scripts/bench/files.lua writes: waves of other lengths in each colour, and noise."""
    import numpy as np
    from PIL import Image
    y, x, wave = np.ogrid[:375, :500, 1:4]
    noise = np.random.default_rng(0)
    for i in range(PICTURES):
        value = 128 + 60 * np.sin(x * wave * 0.02 + i + 1) + 40 * np.cos(y * wave * 0.03)
        value += 20 * noise.random((375, 500, 3))
        Image.fromarray(value.clip(0, 255).astype(np.uint8)).save(f"{folder}/{i}.jpg", quality=90)


def pictures():
    import torch
    from PIL import Image
    from torchvision import transforms as T
    folder = tempfile.TemporaryDirectory()
    write_pictures(folder.name)
    transform = T.Compose([
        T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor(),
        T.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])

    class Pictures(torch.utils.data.Dataset):
        def __len__(self):
            return PICTURES

        def __getitem__(self, i):
            image = Image.open(os.path.join(folder.name, f"{i}.jpg")).convert("RGB")
            return transform(image), i

    loader = torch.utils.data.DataLoader(Pictures(), batch_size=32, num_workers=2,
                                         persistent_workers=True)

    def run():
        for x, _ in loader:
            pass
        return x.sum().item(), folder
    return run


def load_1g():
    import torch
    from safetensors.torch import load_file, save_file
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "arrays.safetensors")
    save_file({f"a{i}": torch.rand(16 * MI) for i in range(1, 17)}, path)

    def run():
        # What is loaded is the mapped file; its elements are read when they are copied.
        return {name: x.clone() for name, x in load_file(path).items()}, folder
    return run


def torch_file_workloads():
    return dict(pictures=pictures, load_1g=load_1g)
