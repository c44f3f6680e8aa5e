/** Keeps a fault in one entry from breaking the whole panel. */
import { Component, type ComponentChild, type ComponentChildren, type JSX } from 'preact';
import { Sentence } from './parts.tsx';
import { useScene } from './scene.ts';

export class Guard extends Component<{ children: ComponentChildren }, { reason: string | null }> {
  override state = { reason: null };

  override componentDidCatch(error: unknown): void {
    this.setState({ reason: error instanceof Error ? error.message : String(error) });
  }

  override render(): ComponentChild {
    return this.state.reason === null ? this.props.children : <NotDrawn reason={this.state.reason} />;
  }
}

const NotDrawn = ({ reason }: { reason: string }): JSX.Element => {
  const { t } = useScene();
  return (
    <p class="notice notice-warning" role="alert">
      <Sentence text={t('not_drawn', { reason })} />
    </p>
  );
};
