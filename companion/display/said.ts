/** What Pilotfish says, in the language of a front end. */
import { fill, placesIn } from '#protocol/fill.ts';
import type { Said, SaidValue } from '#protocol/said.ts';
import type { Warning } from '#protocol/warnings.ts';
import { answerWords } from './answer-words.ts';
import { ruleWords } from './audit-line-words.ts';
import { cardLineWords } from './card-line-words.ts';
import { checkWords } from './check-words.ts';
import { errorWords } from './error-words.ts';
import { findingWords } from './finding-words.ts';
import { frontFaultWords } from './front-fault-words.ts';
import { faultWords } from './fault-words.ts';
import { labelWords } from './label-words.ts';
import { linkFaultWords } from './link-fault-words.ts';
import { noticeWords } from './notice-words.ts';
import { toolLineWords } from './tool-line-words.ts';
import { warningWords } from './warning-words.ts';
import { isChinese, type SayWord } from './words.ts';

/** Sentences in Chinese by their codes. */
type ChineseWords = Readonly<Record<string, string>>;

/** In English where this build does not know the sentence, or what stands in it. `further` are sentences of one place only. */
export const saidText = (said: Said, say: SayWord, further: ChineseWords = {}): string =>
  isChinese(say) ? inChinese(said, further) : said.text;

/** What is the matter, and what to do. */
export const warningLine = ({ what, remedy }: Warning, say: SayWord): string => {
  const text = saidText(what, say);
  if (remedy === undefined) return text;
  return `${text}${text.endsWith('。') ? '' : ' '}${saidText(remedy, say)}`;
};

const chinese: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...warningWords,
    ...checkWords,
    ...faultWords,
    ...linkFaultWords,
    ...frontFaultWords,
    ...findingWords,
    ...toolLineWords,
    ...cardLineWords,
    ...answerWords,
    ...labelWords,
    ...ruleWords,
    ...noticeWords,
    // An error within a sentence: what its code says, and its remedy.
    ...Object.fromEntries(
      Object.entries(errorWords).flatMap(([code, [title, remedy]]) => [
        [code, title],
        [`${code}_REMEDY`, remedy],
      ]),
    ),
  }),
);

const inChinese = ({ code, values, text }: Said, further: ChineseWords): string => {
  const sentence = chinese.get(code) ?? (Object.hasOwn(further, code) ? further[code] : undefined);
  if (sentence === undefined || !placesIn(sentence).every((name) => Object.hasOwn(values, name))) return text;
  return fill(sentence, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueInChinese(value, further)])));
};

const valueInChinese = (value: SaidValue, further: ChineseWords): string | number => {
  if (typeof value === 'string' || typeof value === 'number') return value;
  return 'code' in value ? inChinese(value, further) : value.map((each) => inChinese(each, further)).join('；');
};
