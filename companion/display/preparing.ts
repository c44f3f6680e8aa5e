/** What a daemon does before it is ready, in words for those who wait for it. */
import type { Preparing } from '#protocol/health.ts';
import { toSize } from './amounts.ts';

/** One sentence; it grows old, so it says how far reading has come. */
export const preparingWords = ({ step, done, total }: Preparing, language: 'en' | 'zh'): string => {
  if (step === 'check') {
    const size = toSize(total);
    return language === 'en'
      ? `Pilotfish starts: all of the history is checked first (${size}).`
      : `Pilotfish 正在启动：先检查全部历史记录（${size}）。`;
  }
  const share = total === 0 ? 100 : Math.floor((done / total) * 100);
  if (step === 'migrate') {
    return language === 'en'
      ? `Pilotfish starts: the history of an earlier version is brought up to date first (${share} % so far).`
      : `Pilotfish 正在启动：先更新旧版本的历史记录（已完成 ${share}%）。`;
  }
  return language === 'en'
    ? `Pilotfish starts: sessions are read again first (${share} % so far).`
    : `Pilotfish 正在启动：先重新读取会话（已完成 ${share}%）。`;
};
