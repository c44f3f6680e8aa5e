/** The audit's own words in Chinese. It is kept in English, exactly as it was written; a file that is saved from it has that. Pure. */
import { isErrorCode } from '#protocol/errors.ts';
import { errorTitle } from './error-text.ts';
import { isChinese, type SayWord } from './words.ts';

type Form = readonly [english: RegExp, chinese: string];

/** Who it was. What somebody calls themselves stays as it is. */
export const auditBy = (by: string, say: SayWord): string => inChinese(by, who, say);

/** How it came out. The rule by which a call was allowed is in the saved file only. */
export const auditResult = (result: string, say: SayWord): string => inChinese(result, results, say);

/** How a call came out, for a person: why it failed, without its code and what the agent is to do about it. */
export const actResult = (result: string, say: SayWord): string => {
  const code = /^(?:denied: )?([A-Z]+(?:_[A-Z]+)*): /.exec(result)?.[1];
  if (isErrorCode(code)) return errorTitle(code, say).replace(/[.。]$/, '');
  return auditResult(isChinese(say) ? result : result.replace(/^allowed: .*$/s, 'allowed'), say);
};

/** What it was about, where that is no name. */
export const auditSubject = (what: string, say: SayWord): string => inChinese(what, subjects, say);

/** What is wrong with the audit itself. */
export const auditFault = (fault: string, say: SayWord): string => inChinese(fault, faults, say);

/** The first form that a text has counts. */
const inChinese = (english: string, forms: readonly Form[], say: SayWord): string => {
  const form = isChinese(say) ? forms.find(([pattern]) => pattern.test(english)) : undefined;
  return form === undefined ? english : english.replace(...form);
};

const who: readonly Form[] = [
  [/^the person$/, '本人'],
  [/^the panel of (.*)$/, '$1 的侧边栏'],
  [/^a page of (.*)$/, '$1 中的网页'],
  [/^the agent of the session$/, '会话的智能体'],
  [/^the client of the session$/, '会话的客户端'],
  [/^the agent (.*)$/, '智能体 $1'],
  [/^the MCP client of (.*)$/, '$1 的 MCP 客户端'],
  [/^the program from outside "(.*)", (.*)$/, '外部程序“$1”（$2）'],
  [/^somebody without a token$/, '没有令牌的访问者'],
  [/^the private socket$/, '本机套接字'],
  [/^a terminal, process (\d+) \(unknown program\)$/, '终端，进程 $1（未知程序）'],
  [/^a terminal, process (\d+) \((.*)\)$/, '终端，进程 $1（$2）'],
  [/^a program of an agent, process (\d+) \(unknown program\)$/, '智能体启动的程序，进程 $1（未知程序）'],
  [/^a program of an agent, process (\d+) \((.*)\)$/, '智能体启动的程序，进程 $1（$2）'],
  [/^a program that had ended, process (\d+) \(unknown program\)$/, '已结束的程序，进程 $1（未知程序）'],
  [/^a program that had ended, process (\d+) \((.*)\)$/, '已结束的程序，进程 $1（$2）'],
];

const results: readonly Form[] = [
  [/^allowed: .*$/s, '已允许'],
  [/^denied: ([A-Z_]+): .*$/s, '已拒绝（$1）'],
  [/^denied: .*$/s, '已拒绝'],
  [/^done$/, '完成'],
  [/^asked$/, '已请求'],
  [/^the tool failed$/, '工具失败'],
  [/^([A-Z_]+): .*$/s, '失败（$1）'],
  [/^(\S+), for (.*), always$/, '$1，授予 $2，始终有效'],
  [/^(\S+), for (.*), in session (\S+)$/, '$1，授予 $2，限会话 $3'],
  [/^(\S+): read_only$/, '$1：仅可查看'],
  [/^(\S+): never$/, '$1：禁止访问'],
  [/^(\S+): ask$/, '$1：每次打开时询问'],
  [/^(\S+): no rule any more$/, '$1：已无规则'],
  [/^(\S+) let in$/, '$1 已允许'],
  [/^(\S+) turned away$/, '$1 已拒绝'],
  [/^(\S+) forgotten$/, '$1 已撤回'],
  [/^(\S+) paired, for (.*)$/, '$1 已配对，连接到 $2'],
  [/^The file that knows where the audit ends was gone\.$/, '记录结尾位置的文件曾丢失。'],
];

const subjects: readonly Form[] = [
  [/^read$/, '读取'],
  [/^navigate$/, '导航'],
  [/^write$/, '更改网页'],
  [/^sensitive$/, '敏感操作'],
  [/^sensitive \((.*)\)$/, '敏感操作（$1）'],
  [/^download$/, '下载'],
  [/^stop$/, '停止任务'],
  [/^rule of a site$/, '网站规则'],
  [/^audit$/, '此记录本身'],
  [/^browser "(.*)", .*, process [^,]+, \w+$/s, '浏览器“$1”'],
  [/^client "(.*)", .*, process [^,]+, \w+$/s, '程序“$1”'],
];

const faults: readonly Form[] = [
  [/^After entry (\d+) stands a line that is none\.$/, '第 $1 条之后有一行不是记录。'],
  [
    /^After entry (\d+) comes entry (\d+): entries are missing, doubled or out of order\.$/,
    '第 $1 条之后是第 $2 条：有记录缺失、重复或顺序错误。',
  ],
  [/^Entry (\d+) was changed, or the one before it\.$/, '第 $1 条或其前一条被更改。'],
  [/^Entry (\d+) tells of damage that was found\.$/, '第 $1 条说明曾发现损坏。'],
  [/^The audit ends with entry (\d+), and ended with (\d+)\.$/, '记录止于第 $1 条，而之前止于第 $2 条。'],
];
