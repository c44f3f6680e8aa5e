/** What the installer's checks and the daemon report in whole English sentences, in the language of the person. A text of no known form stays English. */
import { chineseOf, type Sentences } from './forms.ts';

/** The text in the language of this tag; each of its lines is a report of its own. */
export const reportIn = (languageTag: string, english: string): string =>
  /^zh(?![a-z])/i.test(languageTag)
    ? english
        .split('\n')
        .map((line) => inChinese(line) ?? line)
        .join('\n')
    : english;

/** The general forms stand last. */
const texts: Sentences = {
  // Titles.
  Executable: '可执行文件',
  Browsers: '浏览器',
  Update: '更新',
  Extension: '扩展',
  'Private socket': '专用套接字',
  'Menu entry': '菜单项',
  Command: '命令',
  'Native messaging': '本机消息通道',
  'Profile {folder}': '配置文件夹 {folder}',
  'Extension in {browser}, profile {name}': '{browser} 配置文件“{name}”中的扩展',

  // What is to be done.
  'Run `pilotfish install`.': '请运行 `pilotfish install`。',
  'Run `pilotfish install`. Then reload the extension at chrome://extensions.':
    '请运行 `pilotfish install`，然后在 chrome://extensions 重新加载扩展。',
  'Build or download pilotfish again, then run `pilotfish install`.': '请重新构建或下载 pilotfish，然后运行 `pilotfish install`。',
  'Run: {command}': '请运行：{command}',
  'Move pilotfish and its files into folders that only you can change.': '请把 pilotfish 及其文件移到只有你能修改的文件夹。',
  "Use a browser from your system's packages with Pilotfish.": '请使用系统软件包中的浏览器。',
  'Install Chrome, Chromium, Edge, Brave, Vivaldi, Opera or Arc, then run `pilotfish install`.':
    '请安装 Chrome、Chromium、Edge、Brave、Vivaldi、Opera 或 Arc，然后运行 `pilotfish install`。',
  'Ask your administrator to put {name} on {list}.': '请让管理员把 {name} 加入 {list}。',
  'Ask your administrator to allow the developer mode of extensions.': '请让管理员允许扩展的开发者模式。',
  'Register it for all users: `sudo pilotfish install --system`.': '请为所有用户注册：`sudo pilotfish install --system`。',
  'Update the package that installed it, or run: {command}': '请更新安装它的软件包，或运行：{command}',
  'Use the executable that `npm run build` makes.': '请使用 `npm run build` 生成的可执行文件。',
  'Start `pilotfish`; the new daemon takes its place.': '请启动 `pilotfish`，新的后台进程会取代它。',
  'See `pilotfish logs`, then `pilotfish stop` and try again.': '请查看 `pilotfish logs`，然后运行 `pilotfish stop` 再试一次。',
  'Another program is called pilotfish before {folder} on your PATH: run  {line}.':
    '在 PATH 中，{folder} 之前有另一个名为 pilotfish 的程序。请运行：{line}',
  'Another program is called pilotfish before {folder} on your PATH: add this line to {file} and open a new terminal:  {line}.':
    '在 PATH 中，{folder} 之前有另一个名为 pilotfish 的程序。请把这一行加到 {file}，然后打开新的终端：{line}',
  '{folder} is not on your PATH, so the command is not found yet: run  {line}.':
    '{folder} 不在 PATH 中，因此还找不到该命令。请运行：{line}',
  '{folder} is not on your PATH, so the command is not found yet: add this line to {file} and open a new terminal:  {line}.':
    '{folder} 不在 PATH 中，因此还找不到该命令。请把这一行加到 {file}，然后打开新的终端：{line}',

  'Load it from {folder} at chrome://extensions, in this profile.': '请在此配置文件的 chrome://extensions 中从 {folder} 加载扩展。',
  'Switch it on at chrome://extensions.': '请在 chrome://extensions 中启用它。',
  'Remove it at chrome://extensions, then: {remedy}': '请在 chrome://extensions 中将它移除，然后：{remedy}',

  // What was found.
  'It is not loaded there.': '那里没有加载它。',
  'It is loaded there.': '那里已加载它。',
  'It is switched off there.': '那里已将它停用。',
  'It is loaded from {folder}, which is gone.': '它是从 {folder} 加载的，而该文件夹已不存在。',
  'It is loaded from {folder}, which `pilotfish install` does not renew.': '它是从 {folder} 加载的，`pilotfish install` 不会更新那里。',
  '{file} is not there.': '{file} 不存在。',
  '{file} cannot be executed.': '{file} 无法执行。',
  'This browser runs in a sandbox that cannot start programs of the system.': '此浏览器在沙盒中运行，无法启动系统中的程序。',
  'No Chromium-family browser was found.': '没有找到 Chromium 系列的浏览器。',
  'The registry does not name our manifest.': '注册表中没有我们的清单。',
  'There is a second manifest for all users, {file}: {problem}.': '另有一个所有用户的清单 {file}：{problem}。',
  'This build carries no extension.': '此构建不含扩展。',
  'It is not unpacked at {folder}.': '扩展没有解压到 {folder}。',
  'Version {version} is unpacked and the executable carries {other}.': '已解压的是版本 {version}，可执行文件中的是 {other}。',
  'Files that differ: {count}, {name} first.': '有 {count} 个文件不同，第一个是 {name}。',
  'Version {version}, id {id}, at {folder}': '版本 {version}，ID {id}，位于 {folder}',
  'A policy of your administrator, {file}, forbids the browser to start Pilotfish.': '管理员的策略 {file} 禁止浏览器启动 Pilotfish。',
  'A policy of your administrator, {file}, forbids programs that only you have registered.': '管理员的策略 {file} 禁止只由你注册的程序。',
  'A policy of your administrator, {file}, forbids the extension.': '管理员的策略 {file} 禁止此扩展。',
  'A policy of your administrator, {file}, forbids extensions that are loaded from a folder.':
    '管理员的策略 {file} 禁止从文件夹加载的扩展。',
  '{socket} is not a socket.': '{socket} 不是套接字。',
  '{folder} is made when pilotfish starts.': '{folder} 会在 pilotfish 启动时创建。',
  '{folder} is a symbolic link.': '{folder} 是符号链接。',
  '{folder} is not a folder.': '{folder} 不是文件夹。',
  '{folder} belongs to another user.': '{folder} 属于其他用户。',
  '{folder} is open to other users.': '{folder} 对其他用户开放。',
  'Nobody answers at {socket}: a daemon that was killed left it.': '{socket} 没有应答：它是被终止的后台进程留下的。',
  'An update to version {version} goes on.': '正在更新到版本 {version}。',
  'Wait for its end.': '请等待它结束。',
  'The update to version {version} was cut off before it was known to work.': '更新到版本 {version} 的过程中断，尚不知道新版本能否工作。',
  'Go back with `pilotfish doctor --fix`; where that does not start: {command}':
    '用 `pilotfish doctor --fix` 恢复到更新之前；如果它无法启动，请运行：{command}',
  'There is none at {file}.': '{file} 不存在。',
  '{file} starts another executable.': '{file} 启动的是另一个可执行文件。',
  'pilotfish starts this executable.': '命令 pilotfish 启动此可执行文件。',
  'The shell does not find this executable by its name.': '终端按名称找不到此可执行文件。',
  'The host answered after {ms} ms, the daemon behind it.': '主机程序在 {ms} 毫秒后应答，后台进程随后应答。',
  'The host answered after {ms} ms, the daemon did not: {reason}': '主机程序在 {ms} 毫秒后应答，后台进程没有应答：{reason}',
  'Started as a browser does it, {reason}.': '像浏览器那样启动时，{reason}。',
  'it could not be started ({reason})': '它无法启动（{reason}）',
  'it ended with exit code {code} and no answer': '它以退出码 {code} 结束，没有应答',
  'it ended with {signal} and no answer': '它被 {signal} 结束，没有应答',
  'it did not answer in time': '它没有及时应答',
  'it could not reach the daemon': '它连接不到后台进程',
  'it wrote something that is no frame; Chrome closes the connection on that': '它写出的不是帧，Chrome 会因此关闭连接',
  'it wrote a frame that is not JSON': '它写出的帧不是 JSON',
  'there is no manifest': '没有清单',
  'the manifest cannot be read': '清单无法读取',
  'the manifest begins with a byte order mark, which browsers do not read over': '清单以字节顺序标记开头，浏览器不接受',
  'the manifest is not valid JSON of the expected form': '清单不是预期格式的有效 JSON',
  'the manifest is for {name}': '清单属于 {name}',
  'the manifest has the type {type} instead of stdio': '清单的类型是 {type}，应为 stdio',
  'the manifest names the relative path {path}': '清单中是相对路径 {path}',
  'the manifest has a wildcard origin': '清单中的来源含有通配符',
  'the manifest does not admit our extension': '清单不允许我们的扩展',
  'the manifest admits other extensions too': '清单还允许其他扩展',
  'the manifest starts {path} instead of {executable}': '清单启动的是 {path}，应为 {executable}',
  '{place} can be changed by other users.': '{place} 可被其他用户修改。',
  '{place} can be changed by other users': '{place} 可被其他用户修改',
  '{place} belongs to another user': '{place} 属于其他用户',

  // What the daemon warns of.
  'The history cannot be written: what agents say waits until the disk has space again.':
    '无法写入历史记录：智能体所说的内容正在等待磁盘空间。',
  'The history was damaged ({damage}). The old file is kept as {file}; {events} events of {sessions} sessions were brought over.':
    '历史记录已损坏（{damage}）。旧文件保存为 {file}；已恢复 {sessions} 个会话的 {events} 个事件。',
  'A project in the list of projects was damaged on disk and is left out.': '项目列表中有一个项目在磁盘上已损坏，已忽略。',
  'A permission was damaged on disk and does not count any more.': '一项许可在磁盘上已损坏，不再有效。',
  'The entry of session {id} in the list of sessions was damaged on disk.': '会话列表中会话 {id} 的条目在磁盘上已损坏。',
  'An entry of session {id} was damaged on disk and is left out.': '会话 {id} 的一个条目在磁盘上已损坏，已忽略。',
  'Part of the history belongs to no session any more: the file was damaged.': '部分历史记录不再属于任何会话：文件已损坏。',
  '{file} could not be read ({reason}); the defaults are used.': '无法读取 {file}（{reason}）；使用默认设置。',
  '{file} was not valid JSON; it is kept as {aside} and the defaults are used.': '{file} 不是有效的 JSON；已保存为 {aside}，使用默认设置。',
  '{file} could not be read ({reason}); the keys in it are not used.': '无法读取 {file}（{reason}）；其中的密钥不会使用。',
  '{file} was not valid; it is kept as {aside}, and the keys in it have to be entered again.':
    '{file} 无效；已保存为 {aside}，其中的密钥需要重新输入。',
  'A worktree that no session has was left as it is: {folder} ({why}). Take out of it what you need, then remove it with git.':
    '一个不属于任何会话的工作树保持原样：{folder}（{why}）。请取出需要的内容，然后用 git 删除它。',
  'A browser extension brings tools that this Pilotfish does not know, each call of them is asked: {tools}. Run `pilotfish install` if you have updated only one of the two.':
    '一个浏览器扩展带来了此 Pilotfish 不认识的工具，每次调用都会询问：{tools}。如果只更新了其中之一，请运行 `pilotfish install`。',
  'This system does not tell where a process comes from: an agent that may run commands can also run `pilotfish` in your name.':
    '此系统不提供进程的来源：可以运行命令的智能体也能以你的名义运行 `pilotfish`。',
  'The browser {what} waits for you: press "Allow" in its side panel, or run `pilotfish browsers allow {id}`.':
    '浏览器 {what} 在等待你：请在其侧边栏按“允许”，或运行 `pilotfish browsers allow {id}`。',
  'A program that is no known browser wants to be one: {what}. Only if it is yours: `pilotfish browsers allow {id}`.':
    '一个未知的程序想作为浏览器连接：{what}。仅当它属于你时：`pilotfish browsers allow {id}`。',
  '"{name}" ({program}, process {pid})': '“{name}”（{program}，进程 {pid}）',
  'the system does not tell which program': '系统不提供是哪个程序',
  unknown: '未知',

  'This system has no usable keychain: a secret is kept in {file}, readable by you only but not encrypted. {remedy} A key that is entered again then goes into the keychain.':
    '此系统没有可用的钥匙串：一个密钥保存在 {file}，只有你能读取，但未加密。{remedy}之后重新输入的密钥会存入钥匙串。',
  'This system has no usable keychain: {count} secrets are kept in {file}, readable by you only but not encrypted. {remedy} A key that is entered again then goes into the keychain.':
    '此系统没有可用的钥匙串：{count} 个密钥保存在 {file}，只有你能读取，但未加密。{remedy}之后重新输入的密钥会存入钥匙串。',
  'The keychain did not give a stored key, so the agent that needs it may not be logged in. {remedy}':
    '钥匙串没有给出已存的密钥，因此需要它的智能体可能没有登录。{remedy}',
  'Install libsecret (libsecret-1-0 on Debian and Ubuntu, libsecret on Fedora and Arch).':
    '请安装 libsecret（Debian 和 Ubuntu 上是 libsecret-1-0，Fedora 和 Arch 上是 libsecret）。',
  'No program keeps secrets here: install gnome-keyring, or KWallet on KDE, and log in again.':
    '这里没有保存密钥的程序：请安装 gnome-keyring（KDE 上为 KWallet），然后重新登录。',
  'There is no desktop session (a server, a container, SSH). Where that is meant to be, nothing is to be done; else start the session with `dbus-run-session` and a gnome-keyring-daemon that is unlocked, and run `pilotfish stop` in it.':
    '没有桌面会话（服务器、容器或 SSH）。如果本应如此，则无需处理；否则请用 `dbus-run-session` 和已解锁的 gnome-keyring-daemon 启动会话，并在其中运行 `pilotfish stop`。',
  'It is locked: unlock it (on Linux in "Passwords and Keys" or KWallet, on macOS with `security unlock-keychain`).':
    '它已锁定：请解锁（Linux 上用“密码和密钥”或 KWallet，macOS 上用 `security unlock-keychain`）。',
  'It has no collection yet: make the one named "Login" in "Passwords and Keys", or log in to the desktop with a password.':
    '它还没有密钥环：请在“密码和密钥”中创建名为“Login”的密钥环，或用密码登录桌面。',
  'It needs libsecret and a running gnome-keyring or KWallet that is unlocked.':
    '需要 libsecret，以及正在运行且已解锁的 gnome-keyring 或 KWallet。',
  'Unlock it with `security unlock-keychain`.': '请用 `security unlock-keychain` 解锁。',
  'Start the service "Credential Manager".': '请启动“凭据管理器”服务。',
  'See `pilotfish logs`.': '请查看 `pilotfish logs`。',
  'The browser tools are not the ones of the last session: {words}. If you have not updated Pilotfish since, run `pilotfish doctor`.':
    '浏览器工具与上次不同：{words}。如果此后没有更新 Pilotfish，请运行 `pilotfish doctor`。',
  'Tools that a browser extension brings are not the ones of the last session: {words}. If you have not updated the extension since, remove it and run `pilotfish install`.':
    '浏览器扩展带来的工具与上次不同：{words}。如果此后没有更新扩展，请将其移除并运行 `pilotfish install`。',

  // Several in one line.
  'new {tools}; {others}': '新增 {tools}；{others}',
  'changed {tools}; {others}': '改变 {tools}；{others}',
  'new {tools}': '新增 {tools}',
  'changed {tools}': '改变 {tools}',
  'gone {tools}': '消失 {tools}',
  '{file}: {problem}.': '{file}：{problem}。',
  '{one}; {others}.': '{one}；{others}。',
};

const inChinese = chineseOf(texts);
