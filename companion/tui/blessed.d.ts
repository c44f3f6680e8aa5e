/** The few names of blessed that screen.ts uses; the package's own types point at a package that is not there. */
declare module 'blessed' {
  interface Program {
    readonly isAlt: boolean;
    cup(row: number, column: number): void;
    showCursor(): void;
    hideCursor(): void;
    setMode(mode: string): void;
    resetMode(mode: string): void;
    flush(): void;
    alternateBuffer(): void;
    normalBuffer(): void;
  }

  interface Screen {
    readonly program: Program;
    readonly width: number;
    readonly height: number;
    title: string;
    alloc(): void;
    destroy(): void;
    on(event: 'resize', listener: () => void): void;
  }

  const blessed: {
    screen(options: {
      smartCSR: boolean;
      fullUnicode: boolean;
      forceUnicode: boolean;
      ignoreLocked: readonly string[];
      terminal: string;
      title: string;
    }): Screen;
    readonly unicode: {
      /** Columns of one code point; 0 for what combines, -1 for what cannot be printed. */
      charWidth(codePoint: number): number;
    };
  };
  export = blessed;
}
