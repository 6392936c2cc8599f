import { defineLayer } from "../layer.ts";

const wsl = [
  "You work inside the Windows Subsystem for Linux.",
  "Windows drives are mounted below /mnt, so C:\\Users\\ana is /mnt/c/Users/ana; translate Windows paths before you use them.",
].join(" ");

const termux = [
  "You work in Termux on Android.",
  "Install programs with pkg; there is no root, no sudo and no systemd.",
  "System files live below $PREFIX, and the phone's shared storage below ~/storage once termux-setup-storage has run.",
].join(" ");

export const environmentLayer = defineLayer({
  name: "environment",
  pick: (all) => all.environment,
  render: ({ isWsl, isTermux }) => [isWsl ? wsl : "", isTermux ? termux : ""].filter((text) => text !== "").join("\n"),
});
