"""Writes what the predecessor makes of transcripts: python prove-trajectories.py <folder with transcripts.jsonl>."""
import hashlib, json, os, sys
from pathlib import Path

folder = Path(sys.argv[1]).resolve()
os.environ["HERMES_HOME"] = str(folder / "home")
os.chdir(folder)
cases = [json.loads(line) for line in open("transcripts.jsonl", encoding="utf-8")]
known = sys.argv[2].split(",")

import batch_runner
from agent.agent_runtime_helpers import convert_to_trajectory_format
from agent.system_prompt import format_tools_for_system_message
from trajectory_compressor import CompressionConfig, TrajectoryCompressor, AggregateMetrics

batch_runner.ALL_POSSIBLE_TOOLS = known


class Agent:
    def __init__(self, tools):
        self.tools = [{"function": tool} for tool in tools]

    def _format_tools_for_system_message(self):
        return format_tools_for_system_message(self)


def process(index, data, batch_num, config):
    case = cases[index]
    messages = case["messages"]
    return {
        "success": True,
        "prompt_index": index,
        "trajectory": convert_to_trajectory_format(Agent(case["tools"]), messages, case["query"], case["completed"]),
        "tool_stats": batch_runner._extract_tool_stats(messages),
        "reasoning_stats": batch_runner._extract_reasoning_stats(messages),
        "completed": case["completed"],
        "partial": case["partial"],
        "api_calls": case["api_calls"],
        "toolsets_used": case["toolsets"],
        "metadata": {"batch_num": batch_num, "timestamp": "2026-01-02T03:04:05", "model": "m"},
    }


batch_runner._process_single_prompt = process
with open("dataset.jsonl", "w", encoding="utf-8") as out:
    for case in cases:
        out.write(json.dumps({"prompt": case["query"]}, ensure_ascii=False) + "\n")
runner = batch_runner.BatchRunner(dataset_file="dataset.jsonl", batch_size=max(1, -(-len(cases) // 5)), run_name="r",
                                  distribution="default", model="m", num_workers=1)
runner.run()


class Compressor(TrajectoryCompressor):
    def __init__(self, config):
        self.config = config
        self.aggregate_metrics = AggregateMetrics()
        self.tokenizer = None

    def _generate_summary(self, content, metrics):
        metrics.summarization_api_calls += 1
        return self._ensure_summary_prefix(hashlib.sha256(content.encode("utf-8")).hexdigest())


compressor = Compressor(CompressionConfig(target_max_tokens=600, summary_target_tokens=40))
with open("compressed.jsonl", "w", encoding="utf-8") as out:
    for line in open("data/r/trajectories.jsonl", encoding="utf-8"):
        entry, metrics = compressor.process_entry(json.loads(line))
        compressor.aggregate_metrics.add_trajectory_metrics(metrics)
        out.write(json.dumps(entry, ensure_ascii=False) + "\n")
with open("metrics.json", "w", encoding="utf-8") as out:
    json.dump(compressor.aggregate_metrics.to_dict(), out, indent=2)
