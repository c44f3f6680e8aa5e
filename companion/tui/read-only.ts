/** A terminal UI that only looks: what would change something outside it is not done, and that is told. */
import { t } from './say.ts';
import { outcome, type Effect, type Outcome, type TuiState } from './state.ts';

/** Whether an effect changes something that is not the terminal UI's own. */
const changes: Readonly<Record<Effect['type'], boolean>> = {
  'session.open': false,
  'session.create': true,
  'session.delete': true,
  'session.restore': true,
  'session.update': true,
  'turn.start': true,
  'session.apart': true,
  'file.attach': true,
  'worktree.finish': true,
  'turn.cancel': true,
  'task.stop': true,
  'task.read': false,
  'request.answer': true,
  'request.watch': false,
  'project.add': true,
  'project.remove': true,
  'project.change': true,
  'folder.pick': true,
  'folders.read': false,
  'engines.refresh': false,
  'engine.fix': true,
  'audit.read': false,
  'files.read': false,
  'changes.read': false,
  'changes.stage': true,
  'changes.revert': true,
  theme: false,
  language: false,
  search: false,
  'admission.decide': true,
  'manage.read': false,
  'manage.do': true,
  'setup.install': true,
  'setup.check': false,
  'logs.save': false,
  copy: false,
  mouse: false,
  bell: false,
  suspend: false,
  quit: false,
};

/** What comes of a happening where nothing may be changed: the state before it, with the reason, when it would have changed something. */
export const onlyLooking = (before: TuiState, { state, effects }: Outcome): Outcome => {
  if (!before.isReadOnly || !effects.some(({ type }) => changes[type])) return { state, effects };
  const notice = { level: 'warning', text: t('Read-only: nothing is changed from here.'), remedy: null } as const;
  return outcome({ ...before, overlay: before.overlay?.type === 'confirm' ? null : before.overlay, notice });
};
