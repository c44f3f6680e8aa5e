/** The texts of the options page, English and Chinese side by side. */
import { inLanguage, type Texts } from '#display/words.ts';

const texts = {
  connection: ['Connection', '连接'],
  connected: ['Connected:', '已连接：'],
  newcomer: ['This browser waits for you: open the side panel and press "Allow".', '此浏览器等待你的确认：请打开侧边栏并点击“允许”。'],
  starting: ['Connecting…', '正在连接…'],
  again: ['Try again', '重试'],
  label: ['Name of this browser', '此浏览器的名称'],
  labelHint: [
    'Agents and the terminal tell your browsers and profiles apart by it. It takes effect with the next connection.',
    '智能体和终端用它来区分你的浏览器和个人资料。下次连接时生效。',
  ],
  save: ['Save', '保存'],
  saved: ['Saved', '已保存'],
  tabs: ['Tabs of a session', '会话的标签页'],
  closeTabs: [
    'When a session is deleted, close the tabs that it opened. Otherwise they stay, as yours.',
    '删除会话时关闭它打开的标签页，否则保留给你。',
  ],
  more: ['More', '更多'],
  docs: ['Everything else is in the repository:', '其余内容请见代码仓库：'],
  doctor: ['If something does not work, run', '如果遇到问题，请运行'],
} as const satisfies Texts;

export type Translate = (key: keyof typeof texts) => string;

/** The texts in the language of a browser tag. */
export const createTranslate = (languageTag: string): Translate => inLanguage(texts, languageTag);
