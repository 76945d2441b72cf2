"""Small networks, whose time is spent between their ops: transformers of two layers, and a voice detector of 32 ms."""
import torch
import torch.nn.functional as F
from torch import nn

SIZE, HEADS, LENGTH, VOCABULARY = 64, 4, 32, 1000


class Attention(nn.Module):
    def __init__(self, causal, rotary):
        super().__init__()
        self.qkv, self.out = nn.Linear(SIZE, 3 * SIZE, bias=not rotary), nn.Linear(SIZE, SIZE, bias=not rotary)
        self.causal = causal
        self.rotary = rotary
        angles = torch.arange(LENGTH)[:, None] / 10000 ** (torch.arange(0, SIZE // HEADS, 2) / (SIZE // HEADS))
        self.register_buffer("cosines", torch.cat([angles, angles], 1).cos())
        self.register_buffer("sines", torch.cat([angles, angles], 1).sin())
        self.register_buffer("mask", torch.full((LENGTH, LENGTH), float("-inf")).triu(1))

    def rotate(self, x):
        first, second = x.chunk(2, -1)
        return x * self.cosines + torch.cat([-second, first], -1) * self.sines

    def forward(self, x):
        q, k, v = (each.view(1, LENGTH, HEADS, -1).transpose(1, 2) for each in self.qkv(x).split(SIZE, 2))
        if self.rotary:
            q, k = self.rotate(q), self.rotate(k)
        scores = q @ k.transpose(2, 3) * (SIZE // HEADS) ** -0.5
        if self.causal:
            scores = scores + self.mask
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(1, LENGTH, SIZE))


class RootMeanSquare(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(SIZE))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class GatedFeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up, self.down = (nn.Linear(a, b, bias=False) for a, b in
                                         ((SIZE, 3 * SIZE), (SIZE, 3 * SIZE), (3 * SIZE, SIZE)))

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    """`kind`: bert normalizes after each part, gpt2 and llama before it."""

    def __init__(self, kind):
        super().__init__()
        self.after = kind == "bert"
        norm = RootMeanSquare if kind == "llama" else lambda: nn.LayerNorm(SIZE)
        self.norm1, self.norm2 = norm(), norm()
        self.attention = Attention(kind != "bert", kind == "llama")
        self.feed = GatedFeedForward() if kind == "llama" else nn.Sequential(
            nn.Linear(SIZE, 4 * SIZE), nn.GELU(), nn.Linear(4 * SIZE, SIZE))

    def forward(self, x):
        if self.after:
            x = self.norm1(x + self.attention(x))
            return self.norm2(x + self.feed(x))
        x = x + self.attention(self.norm1(x))
        return x + self.feed(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.tokens, self.places = nn.Embedding(VOCABULARY, SIZE), nn.Embedding(LENGTH, SIZE)
        self.kind = kind
        self.blocks = nn.Sequential(Block(kind), Block(kind))
        self.norm = RootMeanSquare() if kind == "llama" else nn.LayerNorm(SIZE)
        self.head = nn.Linear(SIZE, VOCABULARY, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens)
        if self.kind != "llama":
            x = x + self.places.weight
        return self.head(self.norm(self.blocks(x)))


class VoiceDetector(nn.Module):
    """The probability of speech in 512 samples, like Silero's: a spectrogram, four convolutions, an LSTM."""

    def __init__(self):
        super().__init__()
        self.transform = nn.Conv1d(1, 258, 256, 128, bias=False)
        sizes = (129, 128, 1), (128, 64, 2), (64, 64, 2), (64, 128, 1)
        self.layers = nn.Sequential(*(layer for a, b, stride in sizes
                                      for layer in (nn.Conv1d(a, b, 3, stride, 1), nn.ReLU())))
        self.lstm = nn.LSTM(128, 128)
        self.out = nn.Conv1d(128, 1, 1)

    def forward(self, samples, h, c):
        real, imaginary = self.transform(F.pad(samples[:, None], (0, 64), "reflect")).chunk(2, 1)
        x = self.layers(torch.sqrt(real ** 2 + imaginary ** 2))
        x, (h, c) = self.lstm(x.mean(-1)[None], (h, c))
        return torch.sigmoid(self.out(F.relu(x[0])[:, :, None])).mean(-1), h, c


NAMES = ["tiny_bert", "tiny_gpt2", "tiny_llama", "voice_detector"]


def network(name):
    """A network with random weights, and its inputs by name."""
    if name == "voice_detector":
        state = torch.zeros(1, 1, 128)
        return VoiceDetector(), {"samples": torch.randn(1, 512), "h": state, "c": state.clone()}
    return Transformer(name[5:]), {"tokens": torch.randint(0, VOCABULARY, (1, LENGTH))}
