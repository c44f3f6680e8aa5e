/** One row below the composer: agent, model, effort, mode, and what else is set for the session; each opens its sheet. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { effortText, labelText, modeDescription } from '#display/engines.ts';
import type { EngineInfo, ModeInfo } from '#protocol/engines.ts';
import { EngineList } from './engine-list.tsx';
import { Icon, type IconName } from './icons.tsx';
import { Sheet } from './parts.tsx';
import { useScene } from './scene.ts';
import { WorktreeSheet } from './worktree-sheet.tsx';

type SheetName = 'engine' | 'model' | 'effort' | 'mode' | 'place' | 'worktree';

export const SettingsRow = (): JSX.Element => {
  const { t, actions, state, shown } = useScene();
  const { selected } = shown;
  const [sheet, setSheet] = useState<SheetName | null>(null);
  const { engine, mode, worktree } = selected;
  const close = (): void => setSheet(null);
  useSettingKeys(setSheet);
  const model = engine?.models.find(({ modelId }) => modelId === selected.model);
  const efforts = model?.efforts ?? [];
  return (
    <div class="settings-row">
      <Chip name="engine" label={t('engine')} value={labelText(engine ?? { label: '–' }, t)} onOpen={() => setSheet('engine')} />
      {engine?.capabilities.hasModels === true ? (
        <Chip
          name="model"
          label={t('model')}
          value={model?.label ?? selected.model ?? t('default_model')}
          onOpen={() => setSheet('model')}
        />
      ) : null}
      {efforts.length === 0 ? null : (
        <Chip
          name="effort"
          label={t('effort')}
          value={selected.effort === null ? t('default_effort') : effortText(selected.effort, t)}
          onOpen={() => setSheet('effort')}
        />
      )}
      {(engine?.modes.length ?? 0) === 0 ? null : (
        <Chip
          name="mode"
          label={t('mode')}
          value={mode === null || mode === undefined ? t('default_mode') : labelText(mode, t)}
          isDangerous={mode?.isDangerous ?? false}
          onOpen={() => setSheet('mode')}
        />
      )}
      {state.sessionId === null && selected.project !== null ? (
        <Chip
          name="place"
          icon="fork"
          isSet={state.isApart}
          label={t('place')}
          value={t(state.isApart ? 'place_worktree' : 'place_folder')}
          onOpen={() => setSheet('place')}
        />
      ) : null}
      {worktree === null ? null : (
        <Chip name="worktree" icon="fork" isSet label={t('worktree')} value={worktree.branch} onOpen={() => setSheet('worktree')} />
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
      {sheet === null ? null : <ChoiceSheet sheet={sheet} efforts={efforts} onClose={close} />}
    </div>
  );
};

/** Opens a setting by its key, wherever the focus is, if it is in the row. */
const useSettingKeys = (open: (name: SheetName) => void): void => {
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      const name = event.ctrlKey || event.metaKey ? settingKeys.get(event.key) : undefined;
      if (name === undefined || event.altKey || event.isComposing || document.querySelector(`.pill-${name}`) === null) return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) open(name);
    };
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  }, []);
};

const settingKeys: ReadonlyMap<string, SheetName> = new Map([
  [';', 'engine'],
  ['/', 'model'],
  [',', 'effort'],
  ['.', 'mode'],
]);

const keyOf = (name: SheetName): string | undefined => [...settingKeys].find(([, opened]) => opened === name)?.[0];

const ChoiceSheet = ({ sheet, efforts, onClose }: { sheet: SheetName; efforts: readonly string[]; onClose: () => void }): JSX.Element => {
  const { t, actions, state, shown } = useScene();
  const { engine, mode, effort, worktree } = shown.selected;
  return (
    <>
      {sheet === 'worktree' && worktree !== null && state.sessionId !== null ? (
        <WorktreeSheet sessionId={state.sessionId} worktree={worktree} onClose={onClose} />
      ) : null}
      {sheet === 'engine' ? (
        <Sheet title={t('engines')} onClose={onClose}>
          <EngineList
            engines={state.engines ?? []}
            current={engine?.name ?? null}
            isChecking={state.isCheckingEngines}
            onChoose={(name) => {
              actions.chooseEngine(name);
              onClose();
            }}
          />
          {state.sessionId === null ? null : <p class="muted">{t('new_session_note')}</p>}
        </Sheet>
      ) : null}
      {sheet === 'model' && engine !== null ? (
        <Sheet title={t('model')} onClose={onClose}>
          <ModelList engine={engine} onDone={onClose} />
        </Sheet>
      ) : null}
      {sheet === 'effort' ? (
        <Sheet title={t('effort')} onClose={onClose}>
          <EffortList efforts={efforts} current={effort} onDone={onClose} />
        </Sheet>
      ) : null}
      {sheet === 'place' ? (
        <Sheet title={t('place')} onClose={onClose}>
          <PlaceList isApart={state.isApart} onDone={onClose} />
        </Sheet>
      ) : null}
      {sheet === 'mode' && engine !== null ? (
        <Sheet title={t('mode')} onClose={onClose}>
          <ModeList modes={engine.modes} current={mode} onDone={onClose} />
        </Sheet>
      ) : null}
    </>
  );
};

const Chip = ({
  name,
  icon,
  label,
  value,
  isSet = false,
  isDangerous = false,
  onOpen,
}: {
  name: SheetName;
  icon?: IconName;
  /** It is not as usual. */
  isSet?: boolean;
  label: string;
  value: string;
  isDangerous?: boolean;
  onOpen: () => void;
}): JSX.Element => {
  const { t } = useScene();
  const named = t('labelled', { label, text: value });
  const key = keyOf(name);
  return (
    <button
      type="button"
      class={`setting pill-${name} ${isDangerous ? 'dangerous' : ''} ${isSet ? 'is-set' : ''}`}
      aria-label={named}
      aria-haspopup="dialog"
      aria-keyshortcuts={key === undefined ? undefined : `Control+${key}`}
      title={key === undefined ? named : t('aside', { text: named, aside: `Ctrl+${key}` })}
      onClick={onOpen}
    >
      {isDangerous ? <Icon name="warning" /> : null}
      {icon === undefined ? null : <Icon name={icon} />}
      <span>{value}</span>
      <Icon name="caret" />
    </button>
  );
};

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

export const ModelList = ({ engine, onDone }: { engine: EngineInfo; onDone: () => void }): JSX.Element => {
  const { t, actions, shown } = useScene();
  const current = shown.selected.model;
  const choose = (model: string | null): void => {
    void actions.configure({ model, effort: null });
    onDone();
  };
  return (
    <ul class="list">
      <Row title={t('default')} isCurrent={current === null} onChoose={() => choose(null)} />
      {engine.models.map(({ modelId, label }) => (
        <Row
          key={modelId}
          title={label}
          hint={label.toLowerCase() === modelId.toLowerCase() ? undefined : modelId}
          isCurrent={modelId === current}
          onChoose={() => choose(modelId)}
        />
      ))}
    </ul>
  );
};

const EffortList = ({
  efforts,
  current,
  onDone,
}: {
  efforts: readonly string[];
  current: string | null;
  onDone: () => void;
}): JSX.Element => {
  const { t, actions } = useScene();
  return (
    <ul class="list">
      {[null, ...efforts].map((effort) => (
        <Row
          key={effort}
          title={effort === null ? t('default') : effortText(effort, t)}
          isCurrent={effort === current}
          onChoose={() => {
            void actions.configure({ effort });
            onDone();
          }}
        />
      ))}
    </ul>
  );
};

/** The folder of the project, or a worktree. */
const PlaceList = ({ isApart, onDone }: { isApart: boolean; onDone: () => void }): JSX.Element => {
  const { t, actions } = useScene();
  return (
    <ul class="list">
      {([false, true] as const).map((apart) => (
        <Row
          key={String(apart)}
          title={t(apart ? 'place_worktree' : 'place_folder')}
          hint={t(apart ? 'place_worktree_hint' : 'place_folder_hint')}
          isCurrent={apart === isApart}
          onChoose={() => {
            actions.workApart(apart);
            onDone();
          }}
        />
      ))}
    </ul>
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
          title={labelText(mode, t)}
          hint={mode.description === undefined ? undefined : modeDescription(mode, t)}
          isCurrent={mode.modeId === current?.modeId}
          isDangerous={mode.isDangerous}
          onChoose={() => (mode.isDangerous && mode.modeId !== current?.modeId ? setDoubt(mode) : choose(mode.modeId))}
        />
      ))}
    </ul>
  );
};
