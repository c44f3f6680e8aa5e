/** The audit's own words in Chinese. It is kept in English, exactly as it was written; a file that is saved from it has that. Pure. */
import { isChinese, type SayWord } from './words.ts';

type Form = readonly [english: RegExp, chinese: string];

/** Who it was. What somebody calls themselves stays as it is. */
export const auditBy = (by: string, say: SayWord): string => inChinese(by, who, say);

/** How it came out. The rule by which a call was allowed is in the saved file only. */
export const auditResult = (result: string, say: SayWord): string => inChinese(result, results, say);

/** What it was about, where that is a class of tools and no name. */
export const auditSubject = (what: string, say: SayWord): string => inChinese(what, subjects, say);

const inChinese = (english: string, forms: readonly Form[], say: SayWord): string => {
  const form = isChinese(say) ? forms.find(([pattern]) => pattern.test(english)) : undefined;
  return form === undefined ? english : english.replace(...form);
};

const who: readonly Form[] = [
  [/^the person$/, '本人'],
  [/^the panel of (.*)$/, '$1 的侧边栏'],
  [/^the agent of the session$/, '会话的智能体'],
  [/^the client of the session$/, '会话的客户端'],
  [/^the agent (.*)$/, '智能体 $1'],
  [/^the MCP client of (.*)$/, '$1 的 MCP 客户端'],
  [/^the program from outside "(.*)", (.*)$/, '外部程序“$1”（$2）'],
  [/^somebody without a token$/, '没有令牌的访问者'],
  [/^the private socket$/, '本机套接字'],
  [/^a terminal, process (\d+) \((.*)\)$/, '终端，进程 $1（$2）'],
  [/^a program of an agent, process (\d+) \((.*)\)$/, '智能体启动的程序，进程 $1（$2）'],
  [/^a program that had ended, process (\d+) \((.*)\)$/, '已结束的程序，进程 $1（$2）'],
];

const results: readonly Form[] = [
  [/^allowed: .*$/s, '已允许'],
  [/^denied: ([A-Z_]+): .*$/s, '已拒绝（$1）'],
  [/^denied: .*$/s, '已拒绝'],
  [/^done$/, '完成'],
  [/^the tool failed$/, '工具失败'],
  [/^([A-Z_]+): .*$/s, '失败（$1）'],
  [/^(\S+), for (.*), always$/, '$1，授予 $2，始终有效'],
  [/^(\S+), for (.*), in session (\S+)$/, '$1，授予 $2，限会话 $3'],
  [/^(\S+) allowed$/, '$1 已允许'],
  [/^(\S+) denied$/, '$1 已拒绝'],
];

const subjects: readonly Form[] = [
  [/^read\b/, '读取'],
  [/^navigate\b/, '导航'],
  [/^write\b/, '更改网页'],
  [/^sensitive\b/, '敏感操作'],
];
