/**
 * What is told beside the words of an error's code, in Chinese: a remedy that fits the case better than the usual one, and what
 * exactly failed. The words of a provider, of an agent or of a program are none of these and stay as they came.
 */
import type { Sentences } from './forms.ts';

export const remedyWords: Sentences = {
  // Agents.
  'Update it: `{command}`.': '请更新：`{command}`。',
  'Install it: `{command}`.': '请安装：`{command}`。',
  'Name another program: `{command}`.': '请指定其他程序：`{command}`。',
  'If it is the right one, name it: `{command}`.': '如果它就是正确的程序，请指定它：`{command}`。',
  'Run `{command}` in a terminal, then send again.': '请在终端运行 `{command}`，然后重新发送。',
  'Run `{command}` in a terminal.': '请在终端运行 `{command}`。',
  'The limit is its own: send again to go on.': '这是它自己的上限：重新发送即可继续。',
  'Start the model server, then send again.': '请启动模型服务器，然后重新发送。',
  'If that is your model server, name its address: `{command}`.': '如果那是你的模型服务器，请指定其地址：`{command}`。',
  'Name it, `{command}`, then store its key: `{other}`.': '请指定它：`{command}`，然后保存其密钥：`{other}`。',
  'Start Ollama, LM Studio or llama.cpp, then check again; or name the address of another: `{command}`.':
    '请启动 Ollama、LM Studio 或 llama.cpp，然后重新检查；或指定其他服务器的地址：`{command}`。',
  'Store the key of your model server: `{command}`.': '请保存模型服务器的密钥：`{command}`。',
  'Start it, or name another address: `{command}`.': '请启动它，或指定其他地址：`{command}`。',
  'Name the model in the session settings.': '请在会话设置中指定模型。',
  'Load one, for example: `{command}`.': '请加载一个模型，例如：`{command}`。',
  'Send less, or load the model with a larger context.': '请减少内容，或用更大的上下文加载模型。',
  'Switch it off: `{command}`.': '请停用它：`{command}`。',
  'Store it as one: `{command}`.': '请作为密钥保存：`{command}`。',
  'Remove it first: `{command}`; then name the address and store its own key.':
    '请先移除它：`{command}`；然后指定地址并保存该地址自己的密钥。',
  'Leave them out: it asks for what it needs.': '请不要指定：它需要时会询问。',
  'It cannot be shown before an agent reads it: remove it or make it smaller, then send again.':
    '在智能体读取之前无法显示它：请移除或缩小它，然后重新发送。',
  'Look through the files named above, remove what you do not want, then send again and answer the card.':
    '请检查上面所列的文件，移除不需要的内容，然后重新发送并回答卡片。',

  // Folders, files and git.
  'Look at its changes again.': '请重新查看它的更改。',
  'Choose another folder, or see whether you may write in {folder} and whether its disk is full or read-only.':
    '请选择其他文件夹，或检查能否写入 {folder}，以及其磁盘是否已满或只读。',
  'Allow it in a terminal: `{command}`.': '请在终端中允许：`{command}`。',
  'Ask the user to allow its folder in a terminal: `{command}`.': '请让用户在终端中允许该文件夹：`{command}`。',
  'Name a file inside {folders}, or ask the user to attach it to a prompt.': '请指定 {folders} 中的文件，或让用户把它附到消息中。',
  'Name a file that is there and that you may read.': '请指定存在且可读取的文件。',
  'Keep its work as a branch, and merge that yourself.': '请将其工作保留为分支，然后自行合并。',
  'Start a new session.': '请开始新会话。',
  'Move it to another place, then try again.': '请把它移到其他位置，然后重试。',
  'Have the agent finish that, or give it up there with git, then try again. Its work can be kept as a branch as it is.':
    '请让智能体完成它，或在该处用 git 放弃，然后重试。其工作可原样保留为分支。',
  'Commit what is in it and push that, or move it to another place, then try again.': '请提交并推送其中的内容，或将其移到别处，然后重试。',
  'Take the lock away with `git worktree unlock`, then try again.': '请用 `git worktree unlock` 解除锁定，然后重试。',
  'Move what you need out of this folder and remove it, then try again.': '请从此文件夹取出需要的内容并删除它，然后重试。',
  'Commit and merge there yourself with git; the worktree stays as it is.': '请在那里自行用 git 提交并合并；工作树保持不变。',
  'Its folder belongs to another user: take it over, or tell git that you trust it (git config --global safe.directory).':
    '该文件夹属于其他用户：请取得其所有权，或告诉 git 你信任它（`git config --global safe.directory`）。',
  'The repository cannot be written by you: check the rights of its folder and whether its disk is read-only.':
    '你无法写入该仓库：请检查其文件夹的权限，以及磁盘是否只读。',
  'Another git works in this repository: wait for its end, or remove the lock that is named when none runs.':
    '另一个 git 正在此仓库中工作：请等待它结束；如果没有 git 在运行，请删除所指的锁文件。',
  'Clone it, and make the clone a project.': '请克隆它，并把克隆设为项目。',
  'Stage these files yourself with git.': '请自行用 git 暂存这些文件。',
  'Move what lies in it to another place, then try again.': '请把其中的内容移到其他位置，然后重试。',
  'Give the session another name, or remove some of them.': '请为会话换一个名称，或删除其中一些。',
  'See them with `{command}`, and remove those of a project that are not needed any more.':
    '请用 `{command}` 查看，并移除某个项目中不再需要的附件。',
  'Attach less, or name the files in the prompt: the agent reads them itself.': '请减少附件，或在消息中写明文件：智能体会自行读取。',
  'Attach it as a file, or convert it to PNG.': '请作为文件附上，或转换为 PNG。',
  'Send it again.': '请重新发送它。',
  'Nothing was imported. Export the session without `--json` where it is, to read it.':
    '没有导入任何内容。若要阅读，请在会话所在处不带 `--json` 导出它。',
  'Make room on the disk, then import it again.': '请先腾出磁盘空间，再重新导入。',
  'Update pilotfish, then import it.': '请更新 pilotfish，然后导入。',
  'Export the session again with `{command}`.': '请用 `{command}` 重新导出会话。',

  // The disk.
  'Free disk space; what was acknowledged is safe.': '请释放磁盘空间；已确认的内容是安全的。',
  'Free disk space where {folder} lies; what was acknowledged is safe.': '请释放 {folder} 所在磁盘的空间；已确认的内容是安全的。',
  'Make it writable again: a system does this to a disk that reports faults. Or set PILOTFISH_HOME to a folder elsewhere.':
    '请使其重新可写：磁盘报告故障时系统会将其设为只读。或将 PILOTFISH_HOME 设为其他位置的文件夹。',
  'Check the rights of its folder, or set PILOTFISH_HOME to a folder of your own.':
    '请检查其文件夹的权限，或把 PILOTFISH_HOME 设为你自己的文件夹。',
  'Check the rights of {folder}, or set PILOTFISH_HOME to a folder of your own.':
    '请检查 {folder} 的权限，或把 PILOTFISH_HOME 设为你自己的文件夹。',
  'Close the program that has opened it (a backup, a database viewer), then try again.':
    '请关闭打开它的程序（备份、数据库查看器等），然后重试。',
  'Close other programs, or raise the limit of open files (ulimit -n), then start pilotfish again.':
    '请关闭其他程序，或提高打开文件数的上限（`ulimit -n`），然后重新启动 pilotfish。',
  'Check the disk, and save a copy of that folder.': '请检查磁盘，并备份该文件夹。',
  'Move what stands there away, or set PILOTFISH_HOME to a folder of your own, then start pilotfish again.':
    '请移走那里的内容，或把 PILOTFISH_HOME 设为你自己的文件夹，然后重新启动 pilotfish。',
  'Make that folder writable, or set PILOTFISH_HOME to one that is.': '请使该文件夹可写，或把 PILOTFISH_HOME 设为可写的文件夹。',
  'Update pilotfish.': '请更新 pilotfish。',

  // The program, the browser and what is between them.
  'Run `pilotfish doctor`.': '请运行 `pilotfish doctor`。',
  'Run `pilotfish doctor` in a terminal.': '请在终端运行 `pilotfish doctor`。',
  'Run `pilotfish stop`, then start again.': '请运行 `pilotfish stop`，然后重新启动。',
  'The daemon is of another version: run `pilotfish stop`, then start again.':
    '后台程序是其他版本：请运行 `pilotfish stop`，然后重新启动。',
  'Move {folder} away, or set PILOTFISH_HOME to a folder of your own.': '请移走 {folder}，或把 PILOTFISH_HOME 设为你自己的文件夹。',
  'Remove it, or set PILOTFISH_HOME to a folder of your own.': '请移除它，或把 PILOTFISH_HOME 设为你自己的文件夹。',
  'See the log named above, then run `pilotfish doctor`.': '请查看上面所指的日志，然后运行 `pilotfish doctor`。',
  'See {file}, then run `pilotfish doctor`.': '请查看 {file}，然后运行 `pilotfish doctor`。',
  'End programs that you do not need, or raise the limits (`ulimit -u`, `ulimit -v`, those of a container), then run `pilotfish doctor`.':
    '请结束不需要的程序，或提高限制（`ulimit -u`、`ulimit -v` 或容器的限制），然后运行 `pilotfish doctor`。',
  'Move {socket} away, then start again.': '请移走 {socket}，然后重新启动。',
  'Start the browser yourself, from the desktop or a terminal that no agent has opened.':
    '请自行从桌面，或从并非由智能体打开的终端启动浏览器。',
  'Update the extension and pilotfish to the same version.': '请把扩展和 pilotfish 更新到同一版本。',
  'Start `pilotfish` once, or run `pilotfish install`, then press "Try again".':
    '请启动一次 `pilotfish`，或运行 `pilotfish install`，然后点击“重试”。',
  'Run `pilotfish install` and load the extension from the folder it names.': '请运行 `pilotfish install`，并从它指出的文件夹加载扩展。',
  'It is made again by itself; if it stays, run `pilotfish doctor`.': '连接会自动恢复；若没有恢复，请运行 `pilotfish doctor`。',
  'It is looked for again by itself.': '会自动重新查找。',
  'Reload the extension.': '请重新加载扩展。',
  'Reload the extension at chrome://extensions, then check again.': '请在 chrome://extensions 重新加载扩展，然后重新检查。',
  'Reload the extension at chrome://extensions, then open this panel again.':
    '请在 chrome://extensions 重新加载扩展，然后重新打开此侧边栏。',
  'Open it again. If it is open, its extension has ended: ask the user to reload it at chrome://extensions.':
    '请重新打开它。如果它已打开，则其扩展已结束：请让用户在 chrome://extensions 重新加载扩展。',
  'Open it again, or repeat the call to work in {browser}, which the person is asked for.':
    '请重新打开它，或重复调用以改在 {browser} 中工作，届时会询问用户。',
  'Look at the page first, then call again: the daemon is started by itself.': '请先查看网页，然后再次调用：后台程序会自动启动。',
  'Go to an ordinary web page, then try again.': '请打开普通网页，然后重试。',
  'Look at the page, then try again.': '请查看网页，然后重试。',
  'Check the download folder of the browser.': '请检查浏览器的下载文件夹。',
  'See them with `{command}`.': '请用 `{command}` 查看。',
  'Give a name (example.org, which includes all that lies below it) or an origin (http://localhost:3000).':
    '请填写名称（如 `example.org`，包括其下的所有网站）或来源（如 `http://localhost:3000`）。',
  'Give wss://name, or ws://127.0.0.1:PORT where a tunnel begins.': '请填写 `wss://NAME`，或隧道起点 `ws://127.0.0.1:PORT`。',
  'Write ws://127.0.0.1:PORT where a tunnel begins, or wss://name.': '请填写隧道起点 `ws://127.0.0.1:PORT`，或 `wss://NAME`。',
  'Look whether the tunnel is open; to pair, run `pilotfish browsers pair` where Pilotfish runs.':
    '请检查隧道是否打开；如要配对，请在运行 Pilotfish 的机器上运行 `pilotfish browsers pair`。',
};

/** What exactly failed. */
export const detailWords: Sentences = {
  // Files that cross.
  '{path} holds all that one session may have downloaded.': '{path} 中的内容已达到一个会话可下载的上限。',
  'The file did not arrive as the browser has it: its checksum is another.': '收到的文件与浏览器中的不同：校验和不一致。',
  'The browser sent {count} bytes at {offset} of {size}.': '浏览器在 {size} 字节中的第 {offset} 字节处发送了 {count} 字节。',
  // Imports.
  '{name} was sent to be imported, and not for a prompt.': '{name} 是为导入而发送的，不能用于消息。',
  'The file has {size}; {limit} can be imported.': '文件大小为 {size}；最多可导入 {limit}。',
  'The import needs {size} of the disk; {free} are free.': '导入需要 {size} 磁盘空间；可用 {free}。',
  // Agents.
  '{agent} did not answer in time.': '{agent} 没有及时应答。',
  '{agent} {version} is installed, {needed} is needed.': '已安装 {agent} {version}，需要 {needed}。',
  '{agent} ended with exit code {code} before it was ready. It said: {words}': '{agent} 在就绪之前以退出码 {code} 结束。其输出：{words}',
  '{agent} ended with signal {signal} before it was ready. It said: {words}': '{agent} 在就绪之前被信号 {signal} 结束。其输出：{words}',
  '{agent} ended with exit code {code} before it was ready.': '{agent} 在就绪之前以退出码 {code} 结束。',
  '{agent} ended with signal {signal} before it was ready.': '{agent} 在就绪之前被信号 {signal} 结束。',
  '{agent} ended with exit code {code}. It said: {words}': '{agent} 以退出码 {code} 结束。其输出：{words}',
  '{agent} ended with signal {signal}. It said: {words}': '{agent} 被信号 {signal} 结束。其输出：{words}',
  '{agent} ended with exit code {code}.': '{agent} 以退出码 {code} 结束。',
  '{agent} ended with signal {signal}.': '{agent} 被信号 {signal} 结束。',
  '{agent} wrote a line of {bytes} bytes.': '{agent} 写出了一行 {bytes} 字节的内容。',
  '{agent} closed its output and ran on.': '{agent} 关闭了输出，但仍在运行。',
  '{agent} was not ready after {seconds} s.': '{agent} 在 {seconds} 秒后仍未就绪。',
  '{agent} was stopped.': '{agent} 已被停止。',
  '{agent}: {program} is not used: it lies in a project, and who wrote the project could have put it there.':
    '{agent}：不使用 {program}：它位于项目中，可能是项目的作者放置的。',
  '{agent}: {program} is not used: everybody on this machine may write to it or to its folder.':
    '{agent}：不使用 {program}：此电脑上的任何人都可以写入它或其文件夹。',
  '{agent} takes no allowed tools.': '{agent} 不接受无需询问的工具列表。',
  '{agent} is no program; it has an endpoint.': '{agent} 不是程序；它有服务地址。',
  '{agent} is a program and has no endpoint.': '{agent} 是程序，没有服务地址。',
  '{agent} has {name} as a secret.': '{name} 是 {agent} 的密钥。',
  '{agent} reads no secret.': '{agent} 不读取任何密钥。',
  '{agent} reads these: {names}.': '{agent} 读取这些：{names}。',
  '{agent} has no mode that skips permissions.': '{agent} 没有跳过权限询问的模式。',
  '{agent} at {url} wants a key.': '{url} 上的 {agent} 需要密钥。',
  '"{name}" is the name of a built-in agent.': '“{name}”是内置智能体的名称。',
  '"{name}" is built in.': '“{name}”是内置的。',
  '{key} is the key of {address}.': '{key} 是 {address} 的密钥。',
  // Before the next form, which it has too.
  'This session belongs to an outside MCP client, which has its own prompt.': '此会话属于外部 MCP 客户端，消息由它自己输入。',
  'This session belongs to {agent}.': '此会话属于 {agent}。',
  'It was at {url}.': '它原本在 {url}。',
  'Looked at {url}. It sends on to another address, which is not followed.': '已查找 {url}。它重定向到其他地址，不会跟随。',
  'Looked at {url}.': '已查找 {url}。',
  'Looked for {places}.': '已查找 {places}。',
  '{url} sends on to {address}, which is not followed.': '{url} 重定向到 {address}，不会跟随。',
  'The model server does not say which models it has.': '模型服务器没有说明它有哪些模型。',
  'The model server has no model yet.': '模型服务器还没有模型。',
  'The model server closed the stream.': '模型服务器关闭了数据流。',
  'The connection to the model server broke.': '与模型服务器的连接中断。',
  'The answer has no end; it was cut.': '回答没有结束，已被截断。',
  'The answer reached its longest length.': '回答达到了最大长度。',
  'The agent made as many requests as it may in one turn.': '智能体在一次任务中的请求次数已达上限。',
  'The model called tools {count} times in one turn.': '模型在一次任务中调用了 {count} 次工具。',
  'The prompt has about {needed} tokens; the model reads {window}, tools included.':
    '消息约有 {needed} 个 token；包括工具在内，模型可读 {window} 个。',
  'It was {amount} US dollars for all sessions.': '所有会话的预算是 {amount} 美元。',
  'It was {amount} tokens for all sessions.': '所有会话的预算是 {amount} 个 token。',
  'It was {count} answers of the model for one prompt.': '上限是每条消息 {count} 次模型回答。',
  'It was {amount} US dollars.': '上限是 {amount} 美元。',
  'It was {amount} tokens.': '上限是 {amount} 个 token。',
  'The limit was {seconds} s.': '上限是 {seconds} 秒。',
  'Nobody waits for the agent any more.': '已无人等待该智能体。',
  'A session of an outside MCP client has no prompt to go on with.': '外部 MCP 客户端的会话没有可以继续的消息。',
  'It is the session of an MCP client.': '这是 MCP 客户端的会话。',
  'What starts a program is set in a terminal: {names}.': '启动程序的设置只能在终端中更改：{names}。',
  'A secret of a new name is added in a terminal.': '新名称的密钥只能在终端中添加。',
  'It is {agent} in the session "{name}".': '{agent} 正在会话“{name}”中工作。',
  'Its folder is being changed.': '正在更改其文件夹。',
  'It was changed while it was read.': '读取期间它被更改了。',
  '{place} was locked with git.': '{place} 已被 git 锁定。',
  '{place} was locked with git: {reason}.': '{place} 已被 git 锁定：{reason}。',
  'It is being stopped.': '它正在停止。',
  'It was answered already.': '它已经得到回答。',
  'It was withdrawn: what was asked about is over, and nobody waits for the answer.': '它已撤回：所询问的事已结束，无人等待回答。',
  '"{answer}" is none of the options: {options}.': '“{answer}”不是选项之一：{options}。',
  '{turn} has not ended, or is not there.': '{turn} 尚未结束，或不存在。',
  'The session {session} was deleted; bring it back, or choose another id.': '会话 {session} 已被删除；请恢复它，或使用其他 ID。',
  'The id {session} is that of another session.': 'ID {session} 属于另一个会话。',
  'the answer to session/prompt': '对 session/prompt 的应答',
  'An event of a stream.': '数据流中的一个事件。',

  // Folders, files and git.
  '{file} could not be looked at.': '无法查看 {file}。',
  // The next form is theirs, too.
  'The pipe {socket} cannot be made.': '无法创建管道 {socket}。',
  'The folder {folder} cannot be made. {words}': '无法创建文件夹 {folder}。{words}',
  '{folder} cannot be made.': '无法创建 {folder}。',
  '{file} cannot be reached.': '无法访问 {file}。',
  '{path} is not an absolute path.': '{path} 不是绝对路径。',
  '{file} is not a plain file.': '{file} 不是普通文件。',
  '{file} is no file of the project.': '{file} 不是项目中的文件。',
  '{file} is a folder.': '{file} 是文件夹。',
  '{file} has changed since it was shown.': '{file} 在显示之后已更改。',
  '{folder} leads to {place}.': '{folder} 指向 {place}。',
  'A path cannot hold a NUL character.': '路径中不能有 NUL 字符。',
  'No branch was checked out where the session began.': '会话开始时没有检出分支。',
  'Its folder {folder} and its branch {branch} are both gone.': '其文件夹 {folder} 和分支 {branch} 都已不存在。',
  '{folder} is a repository of its own, and would be lost.': '{folder} 是独立的仓库，会因此丢失。',
  '{folder} is a submodule with work that is nowhere else.': '{folder} 是子模块，其中有别处没有的内容。',
  '{folder} is no worktree of {repository} any more, and what lies in it would be lost.':
    '{folder} 已不是 {repository} 的工作树，其中的内容会丢失。',
  '{folder} is in the midst of a rebase.': '{folder} 正处于变基过程中。',
  '{folder} has conflicts that are not resolved: {files}.': '{folder} 中有未解决的冲突：{files}。',
  'The branch {branch} is gone.': '分支 {branch} 已不存在。',
  'Its branch {branch} is gone too.': '其分支 {branch} 也已不存在。',
  '{folder} has changes that are not committed in files that the merge would write. {words}':
    '{folder} 中有未提交的更改，合并会写入这些文件。{words}',
  '{folder} has filters of its own in its configuration, which are not run for you.': '{folder} 的配置中有自己的过滤器，不会代为运行。',
  'It is {version}; merging needs {needed}.': '已安装 {version}；合并需要 {needed}。',
  'It is {version}; {needed} is needed.': '已安装 {version}；需要 {needed}。',
  '{folder} is a bare repository: nothing is checked out in it.': '{folder} 是裸仓库：其中没有检出内容。',
  '{folder}: its repository works in another folder, {place}.': '{folder}：其仓库在另一个文件夹 {place} 中工作。',
  '{branch} is checked out in {folder}.': '{branch} 已在 {folder} 中检出。',
  '{folder} is no worktree of git any more.': '{folder} 已不是 git 的工作树。',
  'There are {count} branches like {name}.': '已有 {count} 个类似 {name} 的分支。',
  'projectId: its worktree belongs to {repository}; finish it first.': 'projectId：其工作树属于 {repository}；请先结束它。',
  'The attachments of all sessions have reached {size} GiB.': '所有会话的附件已达到 {size} GiB。',
  '{file} is not UTF-8 text.': '{file} 不是 UTF-8 文本。',
  '{file} is not a PNG, JPEG, GIF or WebP image.': '{file} 不是 PNG、JPEG、GIF 或 WebP 图片。',
  'The file was exported by a later pilotfish.': '该文件由更新版本的 pilotfish 导出。',
  'The file is not JSON.': '该文件不是 JSON。',
  'The JSON of the file is nested too deeply.': '该文件的 JSON 嵌套过深。',
  'The project has no such attachment.': '该项目没有这个附件。',
  'The session has no such attachment.': '该会话没有这个附件。',
  'Attachment id {id}.': '附件 ID：{id}。',
  'There is no screen here.': '这里没有屏幕。',
  'There is no terminal that could be opened.': '没有可以打开的终端。',
  'There is no program that shows a folder dialog.': '没有可以显示文件夹对话框的程序。',
  'No editor was found: {editors}.': '没有找到编辑器：{editors}。',

  // The disk.
  'The disk is full. ({words})': '磁盘已满。（{words}）',
  'The disk can only be read. ({words})': '磁盘为只读。（{words}）',
  'The disk of {file} can only be read. ({words})': '{file} 所在的磁盘为只读。（{words}）',
  'A file cannot be written or read by you. ({words})': '无法读写某个文件。（{words}）',
  '{file} cannot be written or read by you. ({words})': '无法读写 {file}。（{words}）',
  'Another program holds a file. ({words})': '另一个程序占用了某个文件。（{words}）',
  'Another program holds {file}. ({words})': '另一个程序占用了 {file}。（{words}）',
  'Too many files are open. ({words})': '打开的文件过多。（{words}）',
  'The disk reports a fault at {file}. ({words})': '磁盘在 {file} 处报告故障。（{words}）',
  'The disk reports a fault. ({words})': '磁盘报告故障。（{words}）',
  'A path is not what it should be: a file stands where a folder is needed, or the other way round. ({words})':
    '某个路径不符合要求：需要文件夹的地方是文件，或者相反。（{words}）',
  '{file} is not what it should be: a file stands where a folder is needed, or the other way round. ({words})':
    '{file} 不符合要求：需要文件夹的地方是文件，或者相反。（{words}）',
  '{file} was written by a later pilotfish and {words}.': '{file} 由更新版本的 pilotfish 写入，{words}。',
  'A secret cannot be empty.': '密钥不能为空。',
  'The keychain did not remove the secret.': '钥匙串没有移除该密钥。',
  '{file} cannot be read, so it is not written either.': '无法读取 {file}，因此也不会写入。',

  // The program, the browser and what is between them.
  'The pilotfish program is not registered with this browser.': 'pilotfish 程序尚未在此浏览器中注册。',
  'The pilotfish program is registered for another copy of this extension.': 'pilotfish 程序是为此扩展的另一份副本注册的。',
  'The pilotfish program ended as soon as the browser started it.': '浏览器启动 pilotfish 程序后，它立即结束了。',
  'The pilotfish program ended as soon as the browser started it. {words}': '浏览器启动 pilotfish 程序后，它立即结束了。{words}',
  'The connection to pilotfish was lost.': '与 pilotfish 的连接已断开。',
  'Its log is {file}.': '其日志是 {file}。',
  'It was ended by {signal} while it started: the system refuses it memory, or threads and processes.':
    '它在启动时被 {signal} 结束：系统不给它内存、线程或进程。',
  '{folder} cannot be written: {words}.': '无法写入 {folder}：{words}。',
  '{place} is a folder, not a socket.': '{place} 是文件夹，不是套接字。',
  '{place} is a file, not a socket.': '{place} 是文件，不是套接字。',
  '{socket} cannot be linked.': '无法链接 {socket}。',
  'Only the panel of a browser knows its pages.': '只有浏览器的侧边栏知道它的网页。',
  '{socket} is a symbolic link.': '{socket} 是符号链接。',
  '{socket} belongs to another user.': '{socket} 属于其他用户。',
  'No loopback port is free.': '没有可用的本机端口。',
  'The loopback port cannot be opened.': '无法打开本机端口。',
  '"{name}" is no site.': '“{name}”不是网站。',
  '"{address}" is no address for a browser.': '“{address}”不是浏览器的地址。',
  'This is no address.': '这不是地址。',
  'No browser shows this code now.': '现在没有浏览器显示此代码。',
  'Another browser is being paired.': '另一个浏览器正在配对。',
  'The browser has gone, or took too long.': '浏览器已离开，或耗时过长。',
  'The browser changed what it had promised.': '浏览器更改了先前的约定。',
  'The browser does not hold its key.': '浏览器没有它的密钥。',
  'It does not hold the key that was paired.': '它没有配对时的密钥。',
  'What answers there does not hold its key.': '那里的应答方没有它的密钥。',
  'What answers there is not the Pilotfish that was paired.': '那里的应答方不是已配对的 Pilotfish。',
  'What answers there is no Pilotfish.': '那里的应答方不是 Pilotfish。',
  'Nothing takes this browser at {address}.': '{address} 处没有接受此浏览器的程序。',
  'It sent no stream.': '它没有发送数据流。',
  "The extension's background worker gave no answer.": '扩展的后台程序没有应答。',
  '"{name}", where this session worked, has gone.': '此会话所用的“{name}”已离开。',
  '"{name}", where this session worked, is closed.': '此会话所用的“{name}”已关闭。',
  'Connected: {browsers}.': '已连接：{browsers}。',
};
