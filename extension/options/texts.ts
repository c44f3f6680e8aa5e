/** The texts of the options page. */

const english = {
  connection: 'Connection',
  connected: 'Connected:',
  starting: 'Connecting…',
  again: 'Try again',
  label: 'Name of this browser',
  labelHint: 'Agents and the terminal tell your browsers and profiles apart by it. It takes effect with the next connection.',
  save: 'Save',
  saved: 'Saved',
  more: 'More',
  docs: 'Everything else is in the repository:',
  doctor: 'If something does not work, run',
} as const;

export type Texts = Readonly<Record<keyof typeof english, string>>;

const chinese: Texts = {
  connection: '连接',
  connected: '已连接：',
  starting: '正在连接…',
  again: '重试',
  label: '此浏览器的名称',
  labelHint: '智能体和终端用它来区分你的浏览器和个人资料。下次连接时生效。',
  save: '保存',
  saved: '已保存',
  more: '更多',
  docs: '其余内容请见代码仓库：',
  doctor: '如果遇到问题，请运行',
};

/** Chinese for `zh` and its kin, English for everybody else. */
export const createTexts = (languageTag: string): Texts => (/^zh\b/i.test(languageTag) ? chinese : english);
