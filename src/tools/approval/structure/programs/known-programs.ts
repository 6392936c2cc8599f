/**
 * Programs by what they are for. A name that stands nowhere here, in no other table and on no path of the system is
 * asked about; what a known one does with its words is judged by the other tables.
 */
const programs = `
: . [ [[ alias bg bind break builtin caller case cd command compgen complete compopt continue coproc declare dirs disown do done
echo elif else enable esac eval exec exit export false fc fg fi for function getopts hash help history if in jobs kill let local
logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source suspend test then time times
trap true type typeset ulimit umask unalias unset until wait while

arch b2sum b3sum base32 base64 basename basenc cat chcon chgrp chmod chown cksum comm cp csplit cut date dd df dir dircolors dirname du
env expand expr factor fmt fold groups head hostid id install join link ln logname ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup
nproc numfmt od paste pathchk pinky pr printenv ptx readlink realpath rm rmdir runcon seq sha1sum sha224sum sha256sum sha384sum
sha512sum shasum md5 shred shuf sleep sort split stat stdbuf stty sum sync tac tail tee timeout touch tr truncate tsort tty uname
unexpand uniq unlink users vdir wc who whoami yes gls gsed gawk ggrep gtar gdate greadlink gsort ghead gtail gcp gmv gfind gxargs gcut gtr
gwc gstat gtouch gmktemp gbase64 gsha256sum

find xargs locate plocate mlocate updatedb fd fdfind fzf sk peco percol fselect grep egrep fgrep rgrep zgrep bzgrep xzgrep pcregrep
pcre2grep rg ag ack ugrep git-grep sift sed awk mawk nawk tr jq yq gojq jaq xq tomlq dasel fx gron jless jc jo jp miller mlr csvkit csvcut
csvgrep csvstat csvlook csvjson csvsql in2csv xsv qsv xan datamash q textql dsq xmllint xmlstarlet xsltproc xpath htmlq pup hxselect tidy
json_pp json_reformat prettyjson yamllint diff sdiff diff3 cmp colordiff wdiff delta difft difftastic icdiff vimdiff meld patch filterdiff
interdiff lsdiff splitdiff combinediff rev column col colrm hexdump hd xxd hexyl look ul iconv uconv recode dos2unix unix2dos uchardet
enca less more most bat batcat lesspipe pygmentize highlight glow mdcat rich ccat source-highlight strings file nl tac ts sponge vidir vipe
ifne chronic combine errno isutf8 lckdo mispipe pee zrun
ncal cal bc dc units qalc calc tree eza exa lsd broot ranger nnn lf mc vifm ncdu dust duf dua gdu pydf lsof lsattr getfacl namei
tput clear reset tset tabs infocmp toe stat watch script scriptreplay asciinema ttyrec dialog whiptail gum zenity kdialog yad figlet toilet
deactivate cowsay fortune lolcat boxes banner sl cmatrix neofetch fastfetch screenfetch onefetch tokei cloc scc sloccount loc

tar gtar bsdtar zip unzip zipinfo zipgrep zipnote zipsplit funzip gzip gunzip zcat zmore zless zdiff zcmp bzip2 bunzip2 bzcat bzless bzmore
xz unxz xzcat xzless lzma unlzma lz4 lz4cat unlz4 zstd unzstd zstdcat zstdless brotli 7z 7za 7zr p7zip rar unrar unar lsar cpio pax ar
ranlib compress uncompress pigz unpigz pbzip2 lrzip lzop arj cabextract dtrx atool apack aunpack als innoextract

ps top htop btop atop glances nmon iotop iftop nethogs bmon vmstat mpstat iostat pidstat sar free uptime w pgrep pidof pstree pmap pwdx
pidwait tload slabtop lscpu lsmem lspci lsusb lsblk lshw lsns lsipc lslocks lslogins dmidecode inxi hwinfo cpuid nvidia-smi rocm-smi
sensors acpi upower last lastb lastlog faillog dmesg journalctl logger logrotate uptimed loginctl hostnamectl timedatectl localectl
systemctl service busctl gdbus dbus-send dbus-monitor systemd-analyze systemd-cat systemd-cgls systemd-cgtop systemd-detect-virt
systemd-escape systemd-path systemd-run getent getconf locale localedef ldd ldconfig nm objdump objcopy readelf size strip addr2line c++filt
elfedit patchelf otool install_name_tool lipo dyldinfo codesign xattr mdls mdfind pbcopy pbpaste xclip xsel wl-copy wl-paste open xdg-open
xdg-mime say afplay caffeinate sw_vers system_profiler scutil networksetup defaults plutil launchctl softwareupdate mas xcode-select xcrun
notify-send wall write mesg man info apropos whatis manpath mandb tldr cheat howdoi which whereis type command hash locale uuidgen
mcookie getopt tempfile run-parts savelog fuser killall pkill kill skill snice renice ionice chrt taskset prlimit choom nohup setsid
xargs parallel rush entr watchexec reflex watchman fswatch inotifywait inotifywatch incron hostname dnsdomainname domainname

ping ping6 traceroute traceroute6 tracepath mtr dig nslookup host drill kdig dog doggo whois ip ss ifconfig netstat route arp arping bridge
ethtool iw iwconfig nmcli nmtui networkctl resolvectl systemd-resolve rfkill tc nft iptables ip6tables ufw firewall-cmd curl wget wget2 aria2c
axel http https httpie xh curlie hurl lynx w3m links elinks ftp lftp sftp scp ssh ssh-keygen ssh-add ssh-agent ssh-copy-id ssh-keyscan mosh
autossh sshpass rsync rclone rsnapshot unison nc ncat netcat socat telnet openssl s_client gnutls-cli certtool certbot step mkcert cfssl nmap
masscan zmap tcpdump tshark wireshark dumpcap ngrep tcpflow mitmproxy mitmdump ab wrk wrk2 hey vegeta k6 siege locust bombardier oha drill
iperf iperf3 speedtest speedtest-cli youtube-dl yt-dlp gallery-dl transmission-cli qbittorrent-nox ngrok cloudflared localtunnel lt bore frpc frps chisel tailscale
wg wg-quick openvpn ipcalc sipcalc geoiplookup avahi-browse smbclient smbget nfsstat showmount rpcinfo snmpwalk snmpget ldapsearch mail mailx
mutt neomutt sendmail msmtp swaks grpcurl grpc_cli evans websocat wscat nats mosquitto_pub mosquitto_sub kcat kafkacat

git tig lazygit gitui git-lfs git-crypt git-flow git-cliff gitleaks trufflehog hub gh glab tea jj sl hg svn bzr cvs darcs fossil pijul
p4 repo gerrit pre-commit husky lefthook commitlint cz commitizen semantic-release release-it standard-version changeset gitversion bfg

vi vim nvim view vimdiff ex ed nano pico emacs emacsclient micro joe ne kak helix hx code code-insiders codium cursor windsurf subl atom gedit
kate mate bbedit idea pycharm webstorm goland clion rider rubymine phpstorm zed lapce fleet studio eclipse

npm npx pnpm pnpx yarn yarnpkg bun bunx node nodejs deno tsc tsx ts-node ts-node-dev swc esbuild vite vitest jest mocha ava tap tape jasmine
karma cypress playwright puppeteer webdriverio wdio nightwatch testcafe eslint eslint_d oxlint biome prettier prettierd standard xo tslint
stylelint htmlhint markdownlint markdownlint-cli2 remark textlint cspell alex webpack webpack-cli rollup parcel snowpack gulp grunt brunch
rspack rsbuild rolldown tsup tsdown unbuild ncc pkg nexe nx lerna turbo rush moon wireit changeset next nuxt nuxi astro gatsby remix svelte-kit sveltekit
vue vue-cli-service ng angular ember react-scripts create-react-app create-next-app create-vite expo eas react-native ionic capacitor cordova
storybook sb start-storybook build-storybook chromatic docusaurus vitepress vuepress eleventy hexo tailwindcss postcss sass node-sass less lessc stylus
svgo terser uglifyjs babel flow depcheck npm-check npm-check-updates ncu madge knip ts-prune dependency-cruiser size-limit bundlesize
lighthouse serve http-server live-server json-server nodemon pm2 forever concurrently npm-run-all run-s run-p wait-on cross-env dotenv
typedoc jsdoc apidoc graphql graphql-codegen prisma drizzle-kit typeorm sequelize knex zx fnm nvm n volta corepack node-gyp license-checker
c8 nyc istanbul degit create-vue sv ntl zod hardhat truffle ganache forge cast anvil chisel foundryup slither solc
wrangler miniflare netlify vercel firebase amplify serverless sls sst cdk cdktf pulumi architect arc railway render fly flyctl heroku surge
claude codex gemini aider ollama llm llama-cli llama-server openai huggingface-cli hf

python python2 python3 pip pip2 pip3 pipx pipenv poetry pdm hatch rye uv uvx virtualenv venv conda mamba micromamba pyenv tox nox invoke inv pytest
py.test unittest nose2 nosetests coverage behave robot locust mypy pyright pyre pytype ruff black isort flake8 pylint pycodestyle pydocstyle
autopep8 yapf autoflake bandit safety pip-audit vulture radon xenon pyupgrade docformatter interrogate pip-compile pip-sync pipdeptree twine
flit build setuptools django-admin flask uvicorn gunicorn hypercorn daphne waitress-serve celery rq dramatiq airflow dagster prefect luigi
alembic jupyter jupyter-lab jupyter-notebook jupyterlab ipython ipython3 ptpython bpython nbconvert papermill streamlit gradio panel voila mkdocs sphinx-build
sphinx-quickstart sphinx-apidoc sphinx-autobuild pdoc pydoc pydoc3 cookiecutter copier scrapy fastapi litestar sanic manim dvc mlflow wandb
tensorboard accelerate torchrun deepspeed kaggle cython cythonize f2py maturin pyinstaller nuitka briefcase shiv pex
pre-commit ansible ansible-playbook ansible-lint ansible-galaxy ansible-vault ansible-inventory ansible-doc molecule salt fab

cargo rustc rustup rustfmt rustdoc clippy-driver cargo-clippy cargo-fmt cargo-nextest cross trunk wasm-pack wasm-bindgen miri bindgen cbindgen
evcxr sccache go gofmt goimports golangci-lint staticcheck golint gopls dlv govulncheck gotestsum ginkgo mockgen wire air goreleaser gox
templ sqlc buf protoc protoc-gen-go migrate goose ko task mage
java javac jar javadoc jshell jps jstack jmap jcmd jstat jconsole jlink jpackage keytool mvn mvnw mvnd gradle gradlew ant ivy sbt scala scalac
scala-cli amm mill lein clj clojure bb boot kotlin kotlinc ktlint detekt groovy groovyc grails micronaut mn quarkus spring jbang sdk google-java-format checkstyle
pmd spotbugs
gcc g++ cc c++ clang clang++ clang-format clang-tidy clangd cpp ld ld.lld lld gold mold as nasm yasm make gmake bmake cmake ctest cpack ccmake
ninja samu meson autoconf automake autoreconf aclocal autoheader libtool libtoolize pkg-config pkgconf m4 bison yacc flex lex bazel bazelisk buck buck2 pants
please plz scons waf xmake premake4 premake5 qmake conan vcpkg ccache distcc icecc cppcheck valgrind gdb lldb strace ltrace perf gprof gcov lcov
genhtml gcovr doxygen include-what-you-use iwyu bear astyle uncrustify indent ctags cscope global gtags rr heaptrack massif-visualizer hotspot
dtrace bpftrace systemtap stap uftrace
ruby irb gem bundle bundler rake rails rspec rubocop solargraph sorbet srb steep standardrb brakeman reek erb haml slim jekyll bridgetown middleman puma
unicorn passenger sidekiq foreman overmind hivemind cucumber minitest guard spring rbenv rvm chruby asdf mise rtx pod fastlane
php composer phpunit pest phpstan psalm php-cs-fixer phpcs phpcbf phpmd rector artisan symfony drush wp laravel valet sail box infection behat codecept
dotnet csc fsc fsi msbuild nuget mono mcs csharp paket fantomas dotnet-ef
swift swiftc swift-format swiftlint swiftformat xcodebuild xcodegen tuist carthage mint sourcery ibtool simctl agvtool
elixir elixirc iex mix erl erlc escript rebar3 gleam dialyzer
ghc ghci runghc runhaskell stack cabal hlint ormolu fourmolu stylish-haskell hoogle hpack ghcid haskell-language-server
ocaml ocamlc ocamlopt ocamlfind dune opam utop ocamlformat reason refmt esy
perl cpan cpanm carton prove perltidy perlcritic perldoc plenv perlbrew lua luajit luac luarocks luacheck stylua busted love moon
r R Rscript julia octave matlab maxima gp sage gnuplot stata sas scilab wolframscript
dart flutter fvm pub melos zig zls nim nimble crystal shards v vlang odin d dmd ldc2 dub ponyc haxe haxelib racket raco guile sbcl clisp ecl chez
csi csc gforth swipl prolog coq coqc coqtop lean lake agda idris idris2 elm elm-format elm-test purs spago
tclsh wish expect raku perl6 rakudo fpc gfortran ifort gnat gnatmake gprbuild cobc ghdl iverilog vvp verilator yosys nextpnr-ice40 openocd
arduino-cli platformio pio esptool esptool.py idf.py west avrdude st-flash dfu-util picotool
vhs terraform terragrunt tofu tflint tfsec terraform-docs packer vagrant vault consul nomad waypoint boundary infracost checkov terrascan
docker docker-compose podman podman-compose buildah skopeo nerdctl ctr crictl containerd dockerd lima limactl colima orb kind minikube k3d k3s microk8s
kubectl kubectx kubens k9s stern kustomize helm helmfile skaffold tilt telepresence argocd argo flux istioctl linkerd kubeseal kubeadm kubelet
kubeconform kubeval kube-score kubectl-ns oc eksctl kops rancher velero popeye dive hadolint trivy grype syft snyk cosign dockle act
aws aws-vault saml2aws sam awslocal localstack gcloud gsutil bq az azd doctl linode-cli hcloud scw ibmcloud oci openstack s3cmd s5cmd mc minio b2
psql pg_dump pg_dumpall pg_restore pg_isready pg_ctl createdb createuser dropdb pgcli initdb vacuumdb reindexdb pgbench mysql mysqldump
mysqladmin mysqlimport mycli mariadb mariadb-dump sqlite3 sqlite sqlite-utils litecli duckdb redis-cli redis-server redis-benchmark keydb-cli valkey-cli mongo mongosh
mongodump mongorestore mongoexport mongoimport mongod cqlsh nodetool clickhouse clickhouse-client clickhouse-local cockroach influx influxd etcdctl
neo4j cypher-shell dgraph surreal usql sqlcmd osql sqlplus isql tsql trino presto spark-submit spark-shell pyspark spark-sql hdfs hadoop hive beeline snowsql dbt
sqlfluff sqlfmt flyway liquibase dbmate atlas pgloader kafka-topics kafka-console-consumer kafka-console-producer rabbitmqctl rabbitmqadmin supabase hasura
convert magick identify mogrify composite montage compare display import animate gm vips vipsthumbnail ffmpeg ffprobe ffplay sox soxi play rec lame flac oggenc
opusenc mediainfo mkvmerge mkvinfo exiftool jhead jpegoptim optipng pngquant pngcrush oxipng cwebp dwebp gifsicle gifski inkscape rsvg-convert
potrace gimp blender povray openscad graphviz dot neato circo fdp sfdp twopi gvpr plantuml mermaid mmdc d2 pikchr ditaa aseprite tesseract ocrmypdf
pandoc asciidoctor asciidoc a2x rst2html rst2pdf latex pdflatex xelatex lualatex latexmk bibtex biber tectonic typst tex dvips dvipdf ps2pdf pdftk
qpdf pdftotext pdftoppm pdftocairo pdfinfo pdfimages pdfunite pdfseparate pdfcrop mutool gs ghostscript enscript a2ps groff troff nroff soffice libreoffice
unoconv antiword catdoc calibre ebook-convert hunspell aspell ispell vale write-good proselint languagetool hugo zola jekyll mdbook gitbook antora
espeak espeak-ng festival piper whisper whisper-cpp
apt apt-get apt-cache apt-mark apt-file aptitude dpkg dpkg-query dpkg-deb dpkg-buildpackage debuild lintian dnf yum rpm rpmbuild zypper pacman yay paru
makepkg apk emerge portage xbps-install nix nix-shell nix-env nix-build nix-instantiate nix-store nixos-rebuild home-manager guix brew port snap flatpak
appimage-builder choco scoop winget msiexec update-alternatives debconf-show
gpg gpg2 gpgv gpg-connect-agent gpgconf age age-keygen rage minisign signify sops pass gopass op bw lpass keepassxc-cli security secret-tool ykman ssh-keygen pwgen apg
xkcdpass diceware htpasswd mkpasswd sha3sum rhash hashdeep ssdeep hashcat john
crontab at atq batch anacron systemd-tmpfiles screen tmux byobu zellij dtach abduco tmate ttyd gotty
adb fastboot emulator sdkmanager avdmanager aapt aapt2 apksigner zipalign apktool jadx scrcpy ios-deploy idevice_id ideviceinfo libimobiledevice
qemu-system-x86_64 qemu-img qemu-system-aarch64 virsh virt-install virt-manager VBoxManage vboxmanage multipass lxc lxd incus firecracker utmctl tart
wine winetricks box64 cmd powershell pwsh wsl explorer.exe cmd.exe powershell.exe clip.exe notepad.exe code.exe wslpath
shellcheck shfmt bashate bats shellspec checkbashisms shunit2 actionlint dotenv-linter editorconfig-checker codespell typos lychee linkchecker muffet
semgrep sonar-scanner codeql opengrep osv-scanner dependency-check retire npm-audit just tusk make2help taskfile earthly dagger buildkite-agent circleci
travis gitlab-runner drone woodpecker jenkins-cli concourse fly gcovr codecov coveralls doppler chamber infisical envconsul direnv envsubst envdir
jmeter newman postman insomnia bruno bru hoppscotch httpstat httping tcping statsd promtool amtool logcli grafana-cli loki vector fluent-bit telegraf
otelcol jaeger zipkin sentry-cli datadog-agent newrelic honeycomb lnav multitail ccze grc angle-grinder agrind goaccess humanlog pino-pretty bunyan
hyperfine bench multitime poop samply py-spy flamegraph inferno-flamegraph speedscope 0x clinic autocannon artillery
hermes
`;

const names: ReadonlySet<string> = new Set(programs.split(/\s+/));
/** Names with a version behind them: `python3.12`, `gcc-13`, `clang-format-17`. */
const versioned = /-?\d+(?:\.\d+)*$/;

export function isKnownProgram(name: string): boolean {
  return names.has(name) || names.has(name.replace(versioned, ""));
}
