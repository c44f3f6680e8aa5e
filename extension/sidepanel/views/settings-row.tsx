/** One row below the composer: agent, model, mode, project, and what else is set for the session; each opens its sheet. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { sayEnglish } from '#display/request-text.ts';
import type { EngineInfo, ModeInfo } from '#protocol/engines.ts';
import type { Selected } from '../selected.ts';
import type { PanelState } from '../state.ts';
import { EngineList } from './engine-list.tsx';
import { Icon } from './icons.tsx';
import { Sheet } from './parts.tsx';
import { ProjectPicker } from './project-picker.tsx';
import { useScene } from './scene.ts';
import { WorktreeSheet } from './worktree-sheet.tsx';

type SheetName = 'engine' | 'model' | 'mode' | 'project' | 'worktree';

export const SettingsRow = ({ state, selected }: { state: PanelState; selected: Selected }): JSX.Element => {
  const { t, actions } = useScene();
  const [sheet, setSheet] = useState<SheetName | null>(null);
  const { engine, mode, project } = selected;
  const worktree = selected.view?.worktree ?? null;
  const close = (): void => setSheet(null);
  const model = engine?.models.find(({ modelId }) => modelId === selected.model);
  return (
    <div class="settings-row">
      <Chip label={t('engine')} value={engine?.label ?? '–'} onOpen={() => setSheet('engine')} />
      {engine?.capabilities.hasModels === true ? (
        <Chip label={t('model')} value={model?.label ?? selected.model ?? t('default_model')} onOpen={() => setSheet('model')} />
      ) : null}
      {(engine?.modes.length ?? 0) === 0 ? null : (
        <Chip
          label={t('mode')}
          value={mode === null || mode === undefined ? t('default_mode') : sayEnglish(mode.label, t)}
          isDangerous={mode?.isDangerous ?? false}
          onOpen={() => setSheet('mode')}
        />
      )}
      <button
        type="button"
        class="setting setting-icon"
        aria-label={t('session_settings')}
        aria-haspopup="dialog"
        title={t('session_settings')}
        onClick={() => actions.showExtras(true)}
      >
        <Icon name="sliders" />
      </button>
      <Chip label={t('project')} value={project?.name ?? '–'} hint={project?.rootPath} onOpen={() => setSheet('project')} />
      {worktree === null ? null : <Chip label={t('worktree')} value={worktree.branch} onOpen={() => setSheet('worktree')} />}
      {sheet === 'worktree' && worktree !== null && state.sessionId !== null ? (
        <WorktreeSheet sessionId={state.sessionId} worktree={worktree} onClose={close} />
      ) : null}
      {sheet === 'engine' ? (
        <Sheet title={t('engines')} onClose={close}>
          <EngineList
            engines={state.engines ?? []}
            current={engine?.name ?? null}
            isChecking={state.isCheckingEngines}
            onChoose={(name) => {
              actions.chooseEngine(name);
              close();
            }}
          />
          {state.sessionId === null ? null : <p class="muted">{t('new_session_note')}</p>}
        </Sheet>
      ) : null}
      {sheet === 'model' && engine !== null ? (
        <Sheet title={t('model')} onClose={close}>
          <ModelList engine={engine} selected={selected} onDone={close} />
        </Sheet>
      ) : null}
      {sheet === 'mode' && engine !== null ? (
        <Sheet title={t('mode')} onClose={close}>
          <ModeList modes={engine.modes} current={mode} onDone={close} />
        </Sheet>
      ) : null}
      {sheet === 'project' ? (
        <Sheet title={t('projects')} onClose={close}>
          <ProjectPicker projects={state.projects ?? []} current={project?.id ?? null} onDone={close} />
        </Sheet>
      ) : null}
    </div>
  );
};

const Chip = ({
  label,
  value,
  hint,
  isDangerous = false,
  onOpen,
}: {
  label: string;
  value: string;
  hint?: string | undefined;
  isDangerous?: boolean;
  onOpen: () => void;
}): JSX.Element => (
  <button
    type="button"
    class={isDangerous ? 'setting dangerous' : 'setting'}
    aria-label={`${label}: ${value}`}
    aria-haspopup="dialog"
    title={hint ?? `${label}: ${value}`}
    onClick={onOpen}
  >
    {isDangerous ? <Icon name="warning" /> : null}
    <span>{value}</span>
  </button>
);

const Row = ({
  title,
  hint,
  isCurrent,
  isDangerous = false,
  onChoose,
}: {
  title: string;
  hint?: string | undefined;
  isCurrent: boolean;
  isDangerous?: boolean;
  onChoose: () => void;
}): JSX.Element => (
  <li class={isCurrent ? 'current' : ''}>
    <button type="button" class={isDangerous ? 'list-item dangerous' : 'list-item'} aria-current={isCurrent} onClick={onChoose}>
      {isDangerous ? <Icon name="warning" /> : null}
      <span class="list-text">
        <span class="list-title">{title}</span>
        {hint === undefined ? null : <span class="muted hint">{hint}</span>}
      </span>
      {isCurrent ? <Icon name="check" /> : null}
    </button>
  </li>
);

export const ModelList = ({ engine, selected, onDone }: { engine: EngineInfo; selected: Selected; onDone: () => void }): JSX.Element => {
  const { t, actions } = useScene();
  const choose = (model: string | null): void => {
    void actions.configure({ model, effort: null });
    onDone();
  };
  const efforts = engine.models.find(({ modelId }) => modelId === selected.model)?.efforts ?? [];
  return (
    <>
      <ul class="list">
        <Row title={t('default')} isCurrent={selected.model === null} onChoose={() => choose(null)} />
        {engine.models.map(({ modelId, label }) => (
          <Row
            key={modelId}
            title={label}
            hint={label === modelId ? undefined : modelId}
            isCurrent={modelId === selected.model}
            onChoose={() => choose(modelId)}
          />
        ))}
      </ul>
      {efforts.length === 0 ? null : (
        <>
          <h3>{t('effort')}</h3>
          <div class="buttons">
            {[null, ...efforts].map((effort) => (
              <button
                key={effort}
                type="button"
                aria-pressed={effort === selected.effort}
                onClick={() => void actions.configure({ effort })}
              >
                {effort ?? t('default')}
              </button>
            ))}
          </div>
        </>
      )}
    </>
  );
};

/** A dangerous mode is said in words before it is switched on, and is red wherever it stands. */
const ModeList = ({
  modes,
  current,
  onDone,
}: {
  modes: readonly ModeInfo[];
  current: ModeInfo | null;
  onDone: () => void;
}): JSX.Element => {
  const { t, actions } = useScene();
  const [doubt, setDoubt] = useState<ModeInfo | null>(null);
  const choose = (modeId: string): void => {
    void actions.configure({ mode: modeId });
    onDone();
  };
  if (doubt !== null) {
    return (
      <div class="danger-box" role="alertdialog" aria-label={doubt.label}>
        <p>
          <Icon name="warning" /> {t('danger_confirm')}
        </p>
        <div class="buttons">
          <button
            type="button"
            class="option option-danger"
            onClick={(event) => {
              // It is the widest consent there is: a person's click only.
              if (event.isTrusted) choose(doubt.modeId);
            }}
          >
            {t('danger_yes', { mode: doubt.label })}
          </button>
          <button type="button" class="option" onClick={() => setDoubt(null)}>
            {t('cancel')}
          </button>
        </div>
      </div>
    );
  }
  return (
    <ul class="list">
      {modes.map((mode) => (
        <Row
          key={mode.modeId}
          title={sayEnglish(mode.label, t)}
          hint={mode.description === undefined ? undefined : sayEnglish(mode.description, t)}
          isCurrent={mode.modeId === current?.modeId}
          isDangerous={mode.isDangerous}
          onChoose={() => (mode.isDangerous && mode.modeId !== current?.modeId ? setDoubt(mode) : choose(mode.modeId))}
        />
      ))}
    </ul>
  );
};
