"""The networks that workloads train in PyTorch, and steps of their training."""
from torch import nn
import torch.nn.functional as F


def steps_of(optimizer, steps, loss_of):
    def run():
        for _ in range(steps):
            optimizer.zero_grad()
            loss = loss_of()
            loss.backward()
            optimizer.step()
        return loss.item()
    return run


def downsample(inputs, outputs, stride):
    if stride == 1 and inputs == outputs:
        return nn.Identity()
    return nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample(inputs, outputs, stride)

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + self.downsample(x))


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = 4 * width
        self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, outputs, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample(inputs, outputs, stride)

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        return self.relu(self.bn3(self.conv3(y)) + self.downsample(x))


def resnet(block, growth, counts):
    """A block of a width w has growth * w channels."""
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
              nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for stage, count in enumerate(counts):
        width = 64 << stage
        for i in range(count):
            layers.append(block(inputs, width, 2 if stage > 0 and i == 0 else 1))
            inputs = growth * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000))


def resnet18():
    return resnet(Block, 1, (2, 2, 2, 2))


def resnet50():
    return resnet(Bottleneck, 4, (3, 4, 6, 3))


class DecoderBlock(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.qkv, self.proj = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.fc1, self.fc2 = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

    def forward(self, x):
        n, length, size = x.shape
        qkv = self.qkv(self.norm1(x)).view(n, length, 3, self.heads, size // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(n, length, size))
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))


class Gpt(nn.Module):
    """`tied`: the last layer has the weights of the embedding."""

    def __init__(self, vocabulary, length, size, heads, layers, tied=False):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, size), nn.Embedding(length, size)
        self.blocks = nn.Sequential(*(DecoderBlock(size, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(size), nn.Linear(size, vocabulary, bias=False)
        if tied:
            self.head.weight = self.tokens.weight

    def forward(self, tokens):
        return self.head(self.norm(self.blocks(self.tokens(tokens) + self.places.weight)))
