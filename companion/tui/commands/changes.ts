/** What has changed in the session's folder, file by file: the page, and what is done with the file that is selected there. */
import { diffOf } from '#display/diff-lines.ts';
import type { HunkPlace } from '#protocol/work.ts';
import { cleanLine } from '../text.ts';
import { layOut } from '../layout.ts';
import { t } from '../say.ts';
import { outcome, type FolderChange, type Outcome, type TuiState } from '../state.ts';
import { startOfFile } from '#companion/tui/views/changes.ts';

type ChangedInFolder = FolderChange['files'][number];

/** Opens the page, which is read anew each time. */
export const openChanges = (state: TuiState): Outcome => {
  if (state.session === null) return outcome(state);
  const { sessionId } = state.session;
  return outcome(
    { ...state, overlay: { type: 'changes', top: 0, index: 0, part: null, report: null } },
    { type: 'changes.read', sessionId },
  );
};

/** Takes what was read, unless the page was closed meanwhile. The file that was selected stays so. */
export const takeChanges = (state: TuiState, report: FolderChange): TuiState => {
  const { overlay } = state;
  if (overlay?.type !== 'changes') return state;
  const index = Math.max(0, Math.min(overlay.index, report.files.length - 1));
  return { ...state, overlay: { ...overlay, index, part: null, report } };
};

/** Selects the next file or the one before, and scrolls to it. */
export const moveInChanges = (state: TuiState, step: 1 | -1): Outcome => {
  const { overlay } = state;
  if (overlay?.type !== 'changes' || overlay.report === null || overlay.report.files.length === 0) return outcome(state);
  const index = Math.max(0, Math.min(overlay.index + step, overlay.report.files.length - 1));
  const top = startOfFile(overlay.report, index, layOut(state, null).main.width - 4);
  return outcome({ ...state, overlay: { ...overlay, index, part: null, top } });
};

/** Selects the next part of the selected file or the one before, and scrolls to it; before the first is the whole file. */
export const moveInParts = (state: TuiState, step: 1 | -1): Outcome => {
  const { overlay } = state;
  const selected = selectedFile(state);
  if (overlay?.type !== 'changes' || overlay.report === null || selected === null) return outcome(state);
  const lines = partLines(selected);
  const next = Math.min((overlay.part ?? -1) + step, lines.length - 1);
  const part = next < 0 ? null : next;
  const start = startOfFile(overlay.report, overlay.index, layOut(state, null).main.width - 4);
  return outcome({ ...state, overlay: { ...overlay, part, top: start + (part === null ? 0 : 1 + (lines[part] ?? 0)) } });
};

/** Why no part of the selected file can be selected. */
export const partsDisabled = (state: TuiState): string | null => {
  const selected = selectedFile(state);
  return selected !== null && partLines(selected).length > 0 ? null : t('The change of this file has no parts.');
};

/** In which lines of its diff its parts begin. What is new, gone or renamed is one whole. */
const partLines = ({ change }: ChangedInFolder): number[] =>
  change?.change === 'update' ? diffOf(change).lines.flatMap(({ type }, index) => (type === 'hunk' ? [index] : [])) : [];

/** Puts the selected file into git's index, or takes it out. */
export const stageFile = (state: TuiState, isStaged: boolean): Outcome => {
  const selected = selectedFile(state);
  if (selected === null || state.session === null) return outcome(state);
  const { file, paths } = selected;
  return outcome(state, { type: 'changes.stage', sessionId: state.session.sessionId, file, paths, isStaged });
};

/** Asks before the selected file, or the selected part of it, is brought back. */
export const askToRevert = (state: TuiState): Outcome => {
  const selected = selectedFile(state);
  if (selected === null || state.session === null) return outcome(state);
  const { file, paths } = selected;
  const hunk = selectedHunk(state);
  const name = cleanLine(file);
  return outcome({
    ...state,
    overlay: {
      type: 'confirm',
      text:
        hunk === null
          ? t('Bring {file} back to what it was when the session began?', { file: name })
          : t('Bring part {number} of {file} back to what it was when the session began?', { number: hunk.index + 1, file: name }),
      effect: { type: 'changes.revert', sessionId: state.session.sessionId, file, paths, ...(hunk === null ? {} : { hunk }) },
    },
  });
};

/** Reverts what was confirmed and shows the page again, which is read when that is done; null where something else was confirmed. */
export const confirmRevert = (state: TuiState): Outcome | null => {
  const { overlay } = state;
  if (overlay?.type !== 'confirm' || overlay.effect.type !== 'changes.revert') return null;
  return outcome({ ...state, overlay: { type: 'changes', top: 0, index: 0, part: null, report: null } }, overlay.effect);
};

/** From the question back to the page; null where it was asked elsewhere. */
export const leaveRevert = (state: TuiState): Outcome | null =>
  state.overlay?.type === 'confirm' && state.overlay.effect.type === 'changes.revert' ? openChanges(state) : null;

/** Why there is nothing to select. */
export const changesDisabled = (state: TuiState): string | null => (selectedFile(state) === null ? t('There is no file.') : null);

const selectedHunk = ({ overlay }: TuiState): HunkPlace | null =>
  overlay?.type !== 'changes' || overlay.report === null || overlay.part === null ? null : { now: overlay.report.now, index: overlay.part };

const selectedFile = ({ overlay }: TuiState): ChangedInFolder | null =>
  overlay?.type === 'changes' ? (overlay.report?.files[overlay.index] ?? null) : null;
