/** What the installer's checks report in whole English sentences, in the language of the person. A text of no known form stays English. */
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

  // Several in one line.
  '{file}: {problem}.': '{file}：{problem}。',
  '{one}; {others}.': '{one}；{others}。',
};

const inChinese = chineseOf(texts);
