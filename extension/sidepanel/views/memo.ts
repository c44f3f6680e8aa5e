/** A view that is drawn again only when its props differ. */
import { Component, h, type ComponentChild, type FunctionComponent } from 'preact';

export const memo = <P extends object>(view: FunctionComponent<P>, isSame: (one: P, other: P) => boolean) =>
  class extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return !isSame(this.props, next);
    }

    override render(): ComponentChild {
      return h(view, this.props);
    }
  };
