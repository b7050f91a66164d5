"""Train a classifier on votes with your own loop: twenty lines, three of them about delivery."""

import torch
from torch.utils.data import DataLoader

from dissensus import Votes
from dissensus.deliver import multipass
from dissensus.train import DeliveredDataset, soft_cross_entropy

votes = Votes.of(item=[0, 0, 0, 1, 1, 2, 2, 2], choice=list("aabbbcca"))
features = torch.eye(3)  # one row per item, in the order of votes.items
dataset = DeliveredDataset(features, multipass(votes, seed=0))  # or soft(votes), sls(votes, seed=0), ...
loader = DataLoader(dataset, batch_size=2, shuffle=True, generator=torch.Generator().manual_seed(0))
model = torch.nn.Linear(3, votes.n_classes)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(500):
    dataset.set_epoch(epoch)  # the next votes
    for inputs, targets in loader:
        loss = soft_cross_entropy(model(inputs), targets)  # for hard and soft targets
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(model(features).softmax(dim=1).detach().round(decimals=2))
