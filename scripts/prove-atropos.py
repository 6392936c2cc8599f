"""Plays an environment of atroposlib and its trainer against a trajectory API: python prove-atropos.py <url>. Prints every answer."""
import asyncio, json, sys
from types import SimpleNamespace

import requests
from atroposlib.envs.base import BaseEnv

url = sys.argv[1]
answers = []


def ask(method, route, body=None):
    response = requests.request(method, url + route, json=body)
    kind = response.headers.get("content-type", "").split(";")[0]
    try:
        value = response.json()
    except ValueError:
        value = response.text
    if isinstance(value, dict) and "uuid" in value:
        value = {"uuid": type(value["uuid"]).__name__}
    if response.status_code == 422:
        value = {"detail": sorted(".".join(str(part) for part in one["loc"]) for one in value["detail"])}
    answers.append([method, route, response.status_code, kind, value])


class Env(BaseEnv):
    def __init__(self):
        self.config = SimpleNamespace(rollout_server_url=url, max_token_length=512, wandb_name="real", inference_weight=1.0,
                                      min_batch_allocation=None, group_size=4, total_steps=-1, batch_size=-1,
                                      max_num_workers=-1, max_num_workers_per_node=8)
        self.server = SimpleNamespace(servers=[1], update_weight=self.weigh)
        self.weights = []

    async def weigh(self, weight):
        self.weights.append(weight)

    async def get_next_item(self):
        return None

    async def evaluate(self):
        return None


def group(size, length, marker):
    return {"tokens": [[marker] * length for _ in range(size)], "masks": [[-100] * length for _ in range(size)],
            "scores": [float(i) for i in range(size)], "inference_logprobs": [[1.0] * length for _ in range(size)],
            "messages": [[{"role": "user", "content": "ü"}] for _ in range(size)], "advantages": None,
            "ref_logprobs": None, "generation_params": {"temperature": 1.0}, "overrides": None,
            "group_overrides": None, "images": None}


async def main():
    for route in ["/", "/info", "/wandb_info", "/batch", "/status", "/latest_example"]:
        ask("GET", route)
    ask("POST", "/register", {"wandb_group": "g"})
    ask("POST", "/register", dict(wandb_group="g", wandb_project="p", batch_size=8, max_token_len=512, checkpoint_dir="c",
                                  save_checkpoint_interval=5, starting_step=0, num_steps=3))
    ask("POST", "/register-env", dict(max_token_length=1, desired_name="early", weight=1.0, group_size=4))
    ask("GET", "/batch")
    env = Env()
    await env.register_env()
    await env.get_server_info()
    answers.append([env.env_id, env.wandb_prepend, env.curr_step, env.checkpoint_dir, env.checkpoint_interval,
                    env.config.total_steps, env.config.batch_size, env.max_token_len])
    for number, (size, length) in enumerate([(4, 3), (4, 600), (2, 5), (2, 5), (3, 4), (2, 4), (1, 4), (4, 9)]):
        await env._send_scored_data_to_api(group(size, length, number))
        await env.get_status()
        answers.append([env.status_dict, env.weights[-1]])
        ask("GET", "/status")
    await env._send_scored_data_to_api([group(4, 2, 50), group(1, 2, 51)])
    ask("POST", "/scored_data", {"tokens": "no"})
    ask("GET", "/latest_example")
    for _ in range(4):
        ask("GET", "/batch")
        await env.get_status()
        answers.append([env.status_dict, env.weights[-1]])
    ask("POST", "/register-env", dict(max_token_length=100, desired_name="real", weight=2.0, group_size=2, min_batch_allocation=0.25))
    ask("GET", "/status-env", {"env_id": 1})
    ask("GET", "/status-env", {"env_id": 0})
    ask("POST", "/disconnect-env", {"env_id": 1})
    ask("POST", "/disconnect-env", {"env_id": 9})
    ask("GET", "/wandb_info")
    ask("GET", "/reset_data")
    print(json.dumps(answers, sort_keys=True))


asyncio.run(main())
