import { type GuardRule, rulesOf } from "../rule.ts";

/** Work for somebody else's purse. */
export const mining: readonly GuardRule[] = rulesOf("mining", [
  {
    id: "miner-program",
    severity: "critical",
    pattern:
      /\b(?:xmrig|xmr-stak|cgminer|bfgminer|minerd|cpuminer|ethminer|nbminer|t-rex miner|phoenixminer|lolminer)\b/i,
    says: "names a mining program",
    example: "./xmrig --config c.json",
  },
  {
    id: "stratum-address",
    severity: "critical",
    pattern: /\bstratum\+(?:tcp|ssl|tls)s?:\/\//i,
    says: "connects to a mining pool",
    example: "stratum+tcp://pool.example.test:3333",
  },
  {
    id: "mining-pool",
    severity: "critical",
    pattern:
      /\b(?:minexmr|supportxmr|nanopool|f2pool|ethermine|nicehash|hashvault|2miners|moneroocean)\.(?:com|org|pro|stream|io)\b/i,
    says: "names a mining pool",
    example: "pool: supportxmr.com:443",
  },
  {
    id: "browser-miner",
    severity: "critical",
    pattern: /\b(?:coinhive|cryptoloot|coin-hive|jsecoin|webminepool|crypto-loot)\b/i,
    says: "mines in a browser",
    example: "<script src='https://coinhive.test/lib.js'>",
  },
  {
    id: "mining-algorithm",
    severity: "high",
    pattern: /--(?:algo|coin)[= ](?:rx\/0|randomx|cryptonight|kawpow|ethash|monero|xmr)\b/i,
    says: "options of a mining program",
    example: "run --algo randomx",
  },
  {
    id: "donate-level",
    severity: "high",
    pattern: /--donate-level\b|"donate-level"/,
    says: "options of a mining program",
    example: "x --donate-level 1",
  },
  {
    id: "monero-address",
    severity: "high",
    pattern: /(?<![A-Za-z0-9])4[0-9AB][1-9A-HJ-NP-Za-km-z]{93}(?![A-Za-z0-9])/,
    says: "a Monero wallet address",
    example: `wallet: 4A${"b".repeat(93)}`,
  },
  {
    id: "hide-load",
    severity: "high",
    pattern: /\bnohup\s+nice\s+-n\s*1\d\b.{0,120}(?:>|&>)\s*\/dev\/null/,
    says: "runs heavy work so that nobody notices",
    example: "nohup nice -n 19 ./work > /dev/null 2>&1 &",
  },
]);
