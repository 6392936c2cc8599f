import { amount, choice, flag, secret, secretMap, section, text, texts, whole } from "./setting.ts";

const image = "nikolaik/python-nodejs:python3.11-nodejs20";

export const terminalSections = {
  terminal: section(
    { description: "Where commands run.", category: "Terminal" },
    {
      backend: choice(["local", "docker", "ssh", "singularity", "modal", "daytona"], "local", "Where commands run."),
      sandbox: choice(
        ["auto", "on", "off"],
        "auto",
        "Run local commands in the operating system's sandbox: `auto` where available, `on` always, `off` never.",
      ),
      network: choice(
        ["ask", "open", "off"],
        "ask",
        "Network access of sandboxed commands: `ask` about each new host, `open` allows all, `off` allows none.",
      ),
      network_allow: texts([], "Hosts commands may reach without asking: `host` or `*.host`, optionally with `:port`."),
      network_deny: texts([], "Hosts commands may never reach."),
      cwd: text(".", "Working directory."),
      timeout: whole(180, "Default timeout of a command in seconds.", { min: 1 }),
      max_foreground_timeout: whole(600, "Maximum timeout in seconds a foreground command may request.", { min: 1 }),
      lifetime_seconds: whole(300, "Idle seconds before a terminal is closed."),
      modal_mode: choice(
        ["auto", "direct", "managed"],
        "auto",
        "How to reach Modal: `direct` with your own key, `managed` through the subscription, `auto` the subscription if there is one.",
      ),
      env_passthrough: texts([], "Environment variables passed to commands even if they look like secrets."),
      credential_files: texts([], "Files of the Hermes home to make available in remote terminals."),
      shell_init_files: texts([], "Files to source when a shell starts, instead of the usual start-up files."),
      auto_source_bashrc: flag(true, "Source the usual start-up files."),
      persistent_shell: flag(true, "Keep the working directory and variables between commands."),
      sudo_password: secret("Password for sudo."),
      docker_image: text(image, "Docker image."),
      singularity_image: text(`docker://${image}`, "Singularity image."),
      modal_image: text(image, "Modal image."),
      daytona_image: text(image, "Daytona image."),
      docker_forward_env: texts([], "Environment variables to forward into the container."),
      docker_env: secretMap("Environment variables to set in the container."),
      docker_volumes: texts([], "Mounts as `host:container[:options]`."),
      docker_mount_cwd_to_workspace: flag(false, "Mount the working directory as `/workspace`."),
      docker_network: text("", "Docker network: `none`, `bridge` or a name. Empty: Docker's default."),
      docker_read_only: flag(
        false,
        "Make the container's file system read-only. Mounts and temporary folders stay writable.",
      ),
      container_cpu: amount(1, "CPU cores per container."),
      container_memory: whole(5120, "Memory per container in MB."),
      container_disk: whole(
        51_200,
        "Disk per Daytona sandbox in MB, at most 10 GiB. Docker and Podman do not limit it.",
      ),
      container_persistent: flag(true, "Keep a container's files between sessions."),
      disk_warning_gb: amount(500, "Gigabytes of stored sandboxes above which `hermes doctor` warns."),
      ssh_host: text("", "SSH host."),
      ssh_user: text("", "SSH user."),
      ssh_port: whole(22, "SSH port.", { min: 1, max: 65_535 }),
      ssh_key: text("", "SSH key file."),
      ssh_strict_host_key: flag(false, "Refuse hosts with an unknown key instead of trusting them on first use."),
      ssh_options: texts([], "Additional SSH options as `Name=value`, such as `ProxyJump=user@bastion`."),
      sandbox_dir: text("", "Folder for sandboxes on this machine. Empty: in the Hermes home."),
    },
  ),
};
