/** A form for what starts an agent. It sets nothing: it makes a proposal, and the commands that do the same, for the person to confirm in a terminal. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { addCommands, changeCommand, faultOf, toProposal, type EngineForm } from './engine-command.ts';
import { Commands, ProposalButton } from './engine-proposal.tsx';
import { useSettings } from './scene.ts';

const empty: EngineForm = { name: '', program: '', args: '', variables: '' };

/** For an agent that is there, or without a name for one that is added. */
export const EngineCommandForm = ({ name }: { name?: string }): JSX.Element => {
  const { say } = useSettings();
  const [form, setForm] = useState<EngineForm>({ ...empty, name: name ?? '' });
  const isNew = name === undefined;
  const isWindows = navigator.platform.startsWith('Win');
  const fault = faultOf(form, isNew);
  const change = changeCommand(form, isWindows);
  const commands = fault !== null ? [] : isNew ? addCommands(form, isWindows) : change === null ? [] : [change];
  const proposal = commands.length === 0 ? null : toProposal(form, isNew);
  const isBegun = Object.entries(form).some(([key, text]) => text !== '' && (isNew || key !== 'name'));
  const set = (key: keyof EngineForm) => (text: string) => setForm({ ...form, [key]: text });
  return (
    <div class="engine-form">
      {isNew ? <Line label={say('engineName')} value={form.name} onInput={set('name')} /> : null}
      <Line label={say('engineProgram')} value={form.program} onInput={set('program')} placeholder="/usr/local/bin/agent" />
      <Lines label={say('engineArgs')} value={form.args} onInput={set('args')} />
      <Lines label={say('engineVariables')} value={form.variables} onInput={set('variables')} />
      <p class="muted small-text">{say('engineVariablesHow')}</p>
      {fault !== null && isBegun ? <p role="status">{say(`engineFault_${fault}`)}</p> : null}
      {commands.length > 0 && proposal === null ? (
        <>
          <p class="muted">{say('engineOnlyCommand')}</p>
          <Commands commands={commands} />
        </>
      ) : null}
      <ProposalButton
        name={form.name.trim()}
        change={proposal}
        commands={commands}
        label={say('engineConfirm')}
        onDone={() => setForm({ ...empty, name: name ?? '' })}
      />
    </div>
  );
};

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}

const Line = ({ label, value, onInput, placeholder = '' }: FieldProps & { readonly placeholder?: string }): JSX.Element => {
  const id = useId();
  return (
    <div class="pick">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="field"
        autocomplete="off"
        spellcheck={false}
        value={value}
        placeholder={placeholder}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
};

const Lines = ({ label, value, onInput }: FieldProps): JSX.Element => {
  const id = useId();
  return (
    <div class="pick">
      <label for={id}>{label}</label>
      <textarea id={id} class="field" rows={2} spellcheck={false} value={value} onInput={(event) => onInput(event.currentTarget.value)} />
    </div>
  );
};
