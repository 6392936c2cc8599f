import { amount, choice, flag, secret, secretMap, section, text, texts, whole } from "./setting.ts";

const image = "nikolaik/python-nodejs:python3.11-nodejs20";

export const terminalSections = {
  terminal: section(
    { description: "Where commands run.", category: "Terminal" },
    {
      backend: choice(
        ["local", "docker", "ssh", "singularity", "modal", "daytona"],
        "local",
        "Kind of terminal commands run in.",
      ),
      sandbox: choice(
        ["auto", "on", "off"],
        "auto",
        "Confine local commands with the operating system's sandbox: where possible, always, or never.",
      ),
      network: choice(
        ["ask", "open", "off"],
        "ask",
        "Network of confined commands: ask about each new host, let everything through, or none at all.",
      ),
      network_allow: texts(
        [],
        "Hosts commands reach without a question: `host`, `*.host`, each with an optional `:port`.",
      ),
      network_deny: texts([], "Hosts commands never reach."),
      cwd: text(".", "Working directory."),
      timeout: whole(180, "Seconds a command may take.", { min: 1 }),
      max_foreground_timeout: whole(600, "Most seconds a command in the foreground may ask for.", { min: 1 }),
      lifetime_seconds: whole(300, "Idle seconds after which a terminal is closed."),
      modal_mode: choice(
        ["auto", "direct", "managed"],
        "auto",
        "How Modal is reached: `direct` with a key of your own, `managed` through the subscription; `auto` takes the subscription where there is one.",
      ),
      env_passthrough: texts([], "Variables handed to commands although they look like secrets."),
      credential_files: texts([], "Files of the Hermes home that can be read inside terminals elsewhere."),
      shell_init_files: texts([], "Files sourced when a shell starts; replaces the usual start-up files."),
      auto_source_bashrc: flag(true, "Source the usual start-up files."),
      persistent_shell: flag(true, "Keep directory and variables between commands."),
      sudo_password: secret("Password given to sudo."),
      docker_image: text(image, "Image for docker."),
      singularity_image: text(`docker://${image}`, "Image for singularity."),
      modal_image: text(image, "Image for Modal."),
      daytona_image: text(image, "Image for Daytona."),
      docker_forward_env: texts([], "Variables forwarded into the container."),
      docker_env: secretMap("Fixed variables inside the container."),
      docker_volumes: texts([], "Mounts as `host:container[:options]`."),
      docker_mount_cwd_to_workspace: flag(false, "Mount the working directory as the container's workspace."),
      docker_network: text("", "Container network: `none`, `bridge` or a name; empty is docker's default."),
      docker_read_only: flag(
        false,
        "Make the container's own file system read-only; mounts and temporary folders stay writable.",
      ),
      container_cpu: amount(1, "Processor cores for containers."),
      container_memory: whole(5120, "Memory for containers in MB."),
      container_disk: whole(
        51_200,
        "Disk for sandboxes of Daytona in MB, at most 10 GiB; docker and podman are not asked to limit it.",
      ),
      container_persistent: flag(true, "Keep a container's files between sessions."),
      disk_warning_gb: amount(500, "`hermes doctor` warns when stored sandboxes take more gigabytes than this."),
      ssh_host: text("", "Host for ssh."),
      ssh_user: text("", "User for ssh."),
      ssh_port: whole(22, "Port for ssh.", { min: 1, max: 65_535 }),
      ssh_key: text("", "Key file for ssh."),
      ssh_strict_host_key: flag(false, "Refuse a host whose key is not known yet, instead of remembering it."),
      ssh_options: texts([], "Further options of ssh as `Name=value`, such as `ProxyJump=user@bastion`."),
      sandbox_dir: text("", "Host folder for sandboxes; empty uses the one in the home."),
    },
  ),
};
