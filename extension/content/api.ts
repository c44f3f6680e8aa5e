/** What the worker may ask of a page. The code behind it is bundled into `content-page.js` and injected; everything here is serialisable. */
import type { ErrorCode } from '#protocol/errors.ts';
import type { Chord, Modifier } from '#extension/shared/keys.ts';

/** A node of a snapshot: text, or an element that has a meaning. */
export interface SnapNode {
  /** An ARIA role, or one of our own: clickable, file, hidden. */
  readonly role: string;
  readonly name?: string;
  /** Number of the element's ref in its frame. */
  readonly ref?: number;
  readonly states?: readonly string[];
  readonly value?: string;
  /** Where a link leads. */
  readonly url?: string;
  /** Index of the frame inside, among the page's frames; -1 in a shadow tree, whose frames the page does not count. */
  readonly frame?: number;
  /** The address of the frame inside, where it has no index. */
  readonly address?: string;
  /** Whether it is shown with all its content, because it was asked for by itself. */
  readonly isWhole?: boolean;
  /** Whether it stands inside a line of text. */
  readonly isInline?: boolean;
  readonly children?: readonly SnapChild[];
  /** How many more children there are at its end. */
  readonly left?: number;
}

/** `null` is a line break. */
export type SnapChild = SnapNode | string | null;

/** A tool that the page itself offers, in its own words. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** `a: number, b?: string` */
  readonly parameters: string;
  /** The page says that it changes nothing. */
  readonly isReading: boolean;
}

export interface PageToolAnswer {
  /** Its beginning, where it is long; null when it has not answered yet. */
  readonly answer: string | null;
  /** How long it is. */
  readonly answerChars: number;
  /** It has answered that it failed. */
  readonly isFault: boolean;
  /** It has filled its form, which somebody has to send. */
  readonly waitsForm: boolean;
  readonly change: Change;
}

export interface FrameSnapshot {
  readonly tools?: readonly OfferedTool[];
  readonly url: string;
  readonly title: string;
  /** Which of its parent's frames this is; -1 for the page itself, and for a frame in a shadow tree. */
  readonly index: number;
  /** A viewer of the browser's own draws it, and its text cannot be read. */
  readonly isPdf?: true;
  /** How many characters of its longest texts were not read. */
  readonly leftOut?: number;
  /** How many characters stand further down that are not drawn yet, as where they fade in when they are scrolled to. */
  readonly undrawn?: number;
  readonly children: readonly SnapChild[];
}

/** A ref's number, a CSS selector, a place in the last picture of the page, or one in the view of this document. */
export type Target = { readonly ref: number } | { readonly selector: string } | { readonly point: Point } | { readonly inView: Point };

/** What an action has changed in the page, for its receipt. */
export interface Change {
  /** The element acted on, as a snapshot shows it. */
  readonly element: SnapNode;
  /** DOM changes since the action began. */
  readonly mutations: number;
  /** The page's title, when it is another one. */
  readonly title: string | null;
  /** What has come, says something else or is shown now, as a snapshot shows it. */
  readonly parts: readonly SnapChild[];
  /** More has changed than these. */
  readonly hasMoreParts: boolean;
  /** Dialogs and messages that were not there before, or say something else now. */
  readonly appeared: readonly SnapNode[];
  /** The refs of those of them whose text is all in `parts`. */
  readonly inParts?: readonly number[];
  /** The focused element, when the focus moved. */
  readonly focused: SnapNode | null;
  /** An address the click wanted opened in a new tab, which a page may not do by itself. */
  readonly opens: string | null;
  /** Whether the page has begun to load another one. */
  readonly isLeaving: boolean;
  /** What a field holds now; null where there is none or it is secret. */
  readonly value: string | null;
  /** Other fields that hold something else than before, or are checked or not. */
  readonly fields: readonly SnapNode[];
  /** The field for which the page asked for files. */
  readonly asksForFiles: SnapNode | null;
  /** What was told of the page and is there no more, by its words, and how much there is beside that. */
  readonly gone: { readonly texts: readonly string[]; readonly more: number };
  /** What the page has told the person for a moment only. */
  readonly said: readonly string[];
  /** The page has a canvas, of which nobody knows what is drawn in it. */
  readonly mayDraw: boolean;
  /** What became of a text that was typed; absent when nothing was typed. */
  readonly kept?: Kept;
  /** Where it was pressed, by the page's own events. */
  readonly at?: Point;
  /** Fields that are not valid, so that their form is not sent; absent when there are none. */
  readonly refused?: readonly RefusedField[];
  /** The press leads to an address that is a script. */
  readonly runsScript?: boolean;
  /** It was pressed, and moved or was replaced before it was let go of, so that no click came of it. */
  readonly isUnclicked?: boolean;
}

/** The same, asked for later: without the element and its value where that has gone meanwhile. */
export type LaterChange = Omit<Change, 'element' | 'value'> & Partial<Pick<Change, 'element' | 'value'>>;

export interface RefusedField {
  readonly field: SnapNode;
  /** In the words of the browser or the page; empty for a secret field. */
  readonly why: string;
}

/** The field holds the text, as it was or as the page formats it · its beginning, for it takes no more · something else · still what it held before · there is no field, and each key was pressed. */
export type Kept = 'whole' | 'cut' | 'other' | 'none' | 'keys';

/** Whether a text was found in what a page draws only where it is scrolled to, and how much of its longest list was looked at. */
export interface SoughtText {
  readonly isFound: boolean;
  readonly share: number;
}

/** What showed for a moment only. */
export interface Passed {
  /** What looked so; absent for a text. */
  readonly node?: SnapNode;
  /** `text`, `animation`, or the attribute. */
  readonly what: string;
  readonly value: string;
  /** By the clock of the machine, for those of several frames. */
  readonly atMs: number;
  readonly forMs: number;
  /** More than one of a movement. */
  readonly steps: number;
}

/** What goes on in the page now. */
export interface Activity {
  /** How long nothing has changed. */
  readonly quietMs: number;
  /** For how long it had changed all the time when it last did. */
  readonly restlessMs: number;
  /** DOM changes since the last action began. */
  readonly mutations: number;
  /** A field holds something else than when the receipt was written, or something has come to the end of its animation since. */
  readonly looksOther: boolean;
  readonly isLoading: boolean;
  /** When the page last began to load another one, as `Date.now()` tells it; 0 when it never did. */
  readonly leftAt: number;
  /** When it asked for files, the newest last. */
  readonly downloadsAt: readonly number[];
  /** Transitions and animations that will be over within a second. */
  readonly animations: number;
}

/** An action happened, or could not happen yet and may be tried again. */
export type Outcome = { readonly done: Change } | NotReady;

export interface NotReady {
  /** The reason, in Pilotfish's own words. */
  readonly notReady: string;
  /** What in the page prevents it, in the page's words. */
  readonly fromPage?: string;
  /** What to do about it, where it is not to wait or to close something. */
  readonly remedy?: string;
  /** Where the pointer may bring to light what is not visible. */
  readonly opener?: Point;
  /** It usually lasts for a moment only, at the end of which nothing in the page has told of it. */
  readonly isOftenBrief?: true;
  /** It hardly ever passes by itself, whatever else goes on in the page. */
  readonly isLasting?: true;
}

/** The page did not take a text the quick way: it wants an editing event of the browser's own, or each key. */
export interface NotTaken {
  readonly notTaken: KeyWay;
  /** Of the field, which the target may mean no more once something is in it. */
  readonly ref: number;
}

/** A text is in a field with a list open, which has to hear of it before Enter chooses in that. */
export interface EnterDue {
  readonly typed: Change;
  readonly ref: number;
}

/** Real keys: whole lines at once, or one key after the other. */
export type KeyWay = 'lines' | 'keys';

export interface Aimed {
  readonly point: Point;
  /** It will be elsewhere a moment later. */
  readonly isMoving?: true;
}

/** A real press came to what it was meant for, and a click of it · no click · to something else, and was kept from it. */
export type PressMet = 'clicked' | 'pressed' | 'another';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface ClickOptions {
  readonly target: Target;
  readonly button: 'left' | 'right' | 'middle';
  /** How often it is pressed: once, twice or three times. */
  readonly count: number;
  readonly modifiers: readonly Modifier[];
}

export interface TypeOptions {
  readonly target: Target;
  readonly text: string;
  readonly isSlow: boolean;
  readonly submits: boolean;
}

/** By typing · by choosing · by the keys of a slider that a page made · by a click, where it is not right yet. */
export type FieldKind = {
  /** Of the field that is meant, where the target is only around it or may mean another one later. */
  readonly ref?: number;
} & (
  | { readonly by: 'text' | 'suggestions' | 'options' | 'slider' }
  /** `isOn` is null where it is mixed, as of a box for many of which some are on. */
  | {
      readonly by: 'click';
      readonly isOn: boolean | null;
      readonly isRadio: boolean;
      /** Whether it is the one that was named. */
      readonly isNamed?: true;
    }
  /** A group of boxes, of which some were named. */
  | { readonly by: 'boxes'; readonly boxes: readonly GroupedBox[] }
);

/** A box of a group. */
export interface GroupedBox {
  readonly ref: number;
  readonly name: string;
  /** Null where it is mixed. */
  readonly isOn: boolean | null;
  readonly isNamed: boolean;
}

/** Where a drag begins and ends in the viewport. */
export interface DragStart {
  readonly from: Point;
  /** The places on the way, and at last where it is dropped; null where that is not in view together with the start: `bringEnd` brings it there. */
  readonly way: readonly Point[] | null;
  /** Whether the page uses the browser's own drag and drop. */
  readonly isNative: boolean;
}

/** Without a direction the target comes into view; without a target it is the page that is scrolled. */
export interface ScrollOptions {
  readonly target?: Target;
  readonly direction?: 'up' | 'down' | 'left' | 'right' | 'top' | 'bottom';
  /** CSS pixels; most of the view when absent. */
  readonly amount?: number;
}

export interface Scrolled extends Change {
  readonly movedPx: number;
  /** How much there still is in this direction. */
  readonly leftPx: number;
  readonly isInView: boolean;
  /** The page took the turn of the wheel and scrolled nothing by it. */
  readonly isTaken?: true;
}

/** A list that a page made of elements, as it is shown now. */
export interface ListOptions {
  /** Of what opens it, or of the list itself. */
  readonly ref: number;
  readonly takes: 'one' | 'several' | 'unknown';
  /** Whether what opens it, as a combobox, shows it now. */
  readonly isOpen: boolean;
  /** Whether it is a field, which suggests what fits to its text. */
  readonly isField: boolean;
  /** The field with the focus that looks for options in what is open; null where there is none. */
  readonly search: number | null;
  /** What the list shows while it is closed. */
  readonly shown: string;
  /** The same of a field without what is written in it, which may only look for more. */
  readonly beside: string;
  /** What was chosen in a list that takes several, where it stands in pieces of its own, and the refs of what takes it away again; null where nothing to press does. */
  readonly pieces: readonly { readonly label: string; readonly ref: number | null }[];
  readonly options: readonly {
    readonly ref: number;
    readonly label: string;
    /** What a snapshot calls it, which may be more than what is drawn. */
    readonly name: string;
    readonly value: string;
    readonly isSelected: boolean;
    readonly isDisabled: boolean;
    /** Where a press of it leads, if that is known: to another list beside this one, or to its own parts. */
    readonly leads: 'on' | 'within' | null;
  }[];
}

/** A file whose bytes the page has been given under the key. */
export interface GivenFile {
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly modifiedAt: number;
}

/** Without a target it is the field for which the page asked last, or its only one. */
export interface GiveOptions {
  readonly target?: Target;
  readonly files: readonly GivenFile[];
}

export interface Given extends Change {
  /** Those that the field, as it says, does not take. */
  readonly unaccepted: readonly string[];
}

export interface DropOptions {
  readonly target: Target;
  readonly files: readonly GivenFile[];
  /** Texts by their MIME type. */
  readonly data: Readonly<Record<string, string>>;
  /** Where they come from another frame: no page of another site is given them. */
  readonly site?: string;
}

/** What is dragged out of its frame. */
export interface Lifted {
  /** The origin of its page. */
  readonly site: string;
  /** What it carries: texts by their MIME type. */
  readonly data: Readonly<Record<string, string>>;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** In CSS pixels; `scale` of the screen's make one. */
export interface ViewSize {
  readonly width: number;
  readonly height: number;
  /** Between its scroll bars. */
  readonly clientWidth: number;
  readonly clientHeight: number;
  readonly scale: number;
  /** Where the whole page begins: below 0 where it runs from right to left. */
  readonly fullLeft: number;
  readonly fullWidth: number;
  readonly fullHeight: number;
  readonly scrollX: number;
  readonly scrollY: number;
}

/** Two corners, in pixels of the last picture. */
export interface Region {
  readonly from: Point;
  readonly to: Point;
}

/** Where the element of a ref is in the page. */
export interface RefBox extends Box {
  readonly ref: number;
}

export interface PictureOptions {
  readonly target?: Target;
  readonly region?: Region;
  /** A part of the view, in CSS pixels. */
  readonly box?: Box;
  readonly hasRefs?: boolean;
  readonly isFullPage: boolean;
  /** Whether the picture may be of what was drawn last, and not drawn for it: then the fields must be hidden there, too. */
  readonly isOfLastDrawn: boolean;
}

export interface PictureScene {
  readonly size: ViewSize;
  /** Nothing had to be hidden, and nothing has changed since the page answered last. */
  readonly isPlain: boolean;
  /** Of the target. */
  readonly box?: Box & { readonly isInView: boolean };
  /** Of what can be operated, where they were asked for. */
  readonly refs?: readonly RefBox[];
}

/** What the bar in a page says in which somebody acts. */
export interface ActingWords {
  readonly says: string;
  readonly stop: string;
  readonly stopping: string;
}

/** What a picture shows: where it begins in the page, in CSS pixels, and how many of its pixels make one of these. */
export interface PicturePlace {
  readonly left: number;
  readonly top: number;
  readonly scale: number;
  /** How wide the page was, and how far it was scrolled. */
  readonly pageWidth: number;
  readonly scrolled: Point;
}

/** What the user has selected in a frame; empty when nothing is selected. */
export interface SelectedText {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** Which frame of its parent this one is, and which of its own the person was in last; -1 where that is none, or not told. */
  readonly index: number;
  readonly indexInUse: number;
}

/** An element the user has pointed at. */
export interface PickedElement {
  /** Its number in refs. */
  readonly ref: number;
  readonly url: string;
  readonly title: string;
  readonly selector: string;
  /** Its ARIA role, or its tag where it has none. */
  readonly role: string;
  readonly name: string;
  readonly text: string;
  /** Without the values of secret fields, at most 20 kB. */
  readonly html: string;
  /** Where its code stands, as a development build of the page tells; else empty. */
  readonly source: string;
  /** The user held Shift, and wants to point at another one. */
  readonly hasNext: boolean;
}

/** By what a picked element is found again. */
export interface Mark {
  readonly ref: number;
  readonly selector: string;
  readonly role: string;
  readonly name: string;
}

export interface LookedAt {
  readonly ref: number;
  /** A digest of its markup and styles. */
  readonly looks: string;
  /** What of it is in the view, with a little around; null when nothing is. */
  readonly box: Box | null;
}

/** Picked elements as they are now, null for those that are gone, and what the development server says of a build that failed. */
export interface Again {
  readonly elements: readonly (LookedAt | null)[];
  readonly buildError: string | null;
}

/** The calls a page answers. */
export interface PageMethods {
  /** One element, as a snapshot shows it. */
  describe: { options: { target: Target }; result: SnapNode };
  /** Without a target it is the whole frame. (Chrome drops null fields on the way.) */
  snapshot: { options: { target?: Target; urls: boolean }; result: FrameSnapshot };
  /** With a key also what the page has begun and not finished, where it is watched under that. */
  activity: { options: { key: string; awaitsFrame: boolean } | null; result: Activity & { pending?: unknown } };
  /** Whether a tool that the page offers only looks, as the page says, and is given nothing to know. */
  onlyLooksByPageTool: { options: { name: string; input: Readonly<Record<string, unknown>> }; result: boolean };
  callPageTool: { options: { name: string; input: Readonly<Record<string, unknown>> }; result: PageToolAnswer };
  /** Whether anything matches a selector. */
  isThere: { options: { selector: string }; result: boolean };
  /** Scrolls through lists that draw only the rows in view, until a text shows. */
  seek: { options: { text: string }; result: SoughtText };
  /** Resolves when the page was drawn once more. */
  drawnAgain: { options: null; result: void };
  /** A count of changes; with an earlier count it resolves once there is a higher one. */
  changeCount: { options: { since?: number }; result: number };
  click: { options: ClickOptions; result: Outcome };
  type: { options: TypeOptions; result: Outcome | NotTaken | EnterDue };
  /** Whether the field takes a text now; changes nothing. */
  typable: { options: { target: Target }; result: { readonly isReady: true } | NotReady };
  /** Prepares a field for real keys: focused, with all that is in it marked. `marksByKey` says whether the keys that mark all mark as much. */
  beginKeys: { options: { target: Target }; result: { readonly marksByKey: boolean } | NotReady };
  /** Whether real keys still go into the field. */
  holdsFocus: { options: { target: Target }; result: boolean };
  /** What became of the text since the last type. */
  endKeys: { options: { target: Target; text: string; submits: boolean }; result: Change };
  /** Where a trusted click has to go; starts the receipt as `click` does. */
  aim: { options: { target: Target }; result: Aimed | NotReady };
  /** Where it has to go at this moment, for what keeps moving. */
  aimNow: { options: { target: Target }; result: Aimed | NotReady };
  /** What the real press has met that was aimed last; null where the page did not hear of it. */
  pressMet: { options: null; result: PressMet | null };
  /** Makes an element ready for the pointer. Where a real one cannot go, the page's own events say that it has come. */
  hover: { options: { target: Target; isReal: boolean }; result: Aimed | NotReady };
  /** What changed since the last hover, with what it brought to light. */
  hovered: { options: null; result: Change };
  /** Whether a real pointer has come to what the last hover was about. */
  isReached: { options: null; result: boolean };
  /** Puts the focus on the target, where there is one, and listens for a key. */
  beginPress: { options: { target?: Target }; result: { readonly isFocused: true } | NotReady };
  /** Whether a key still goes where it was meant to. */
  holdsPress: { options: null; result: boolean };
  pressByEvents: { options: Chord; result: void };
  /** What changed since the last beginPress, and whether the page got the key. */
  pressed: {
    options: null;
    result: Change & {
      /** The page got the key. */
      readonly isHeard: boolean;
      /** Nothing in it had the focus. */
      readonly isForPage: boolean;
    };
  };
  /** Chooses exactly these options of the browser's own list. */
  select: { options: { target: Target; values: readonly string[] }; result: Outcome };
  /** The options that a page's own list shows; null for a list of the browser. */
  listOptions: { options: { target: Target }; result: ListOptions | null };
  seekOption: { options: { target: Target; label: string }; result: SoughtText };
  /** Closes the list that a combobox has opened; with `isTyped` what was typed stays. */
  closeList: { options: { target: Target; isTyped: boolean }; result: void };
  /** Moves a slider that a page made of elements by its keys. */
  slide: { options: { target: Target; value: number }; result: Outcome };
  scroll: { options: ScrollOptions; result: { readonly done: Scrolled } | NotReady };
  /** Makes both ends of a drag ready. */
  beginDrag: { options: { start: Target; way: readonly Target[]; end: Target }; result: DragStart | NotReady };
  /** The press that a drag by events begins with. */
  pressDrag: { options: null; result: void };
  dragByEvents: { options: null; result: void };
  /** Scrolls to the end of the drag that is under way; resolves with where it is then. */
  bringEnd: { options: null; result: Point };
  /** Resolves when what is dragged can be let go of, with whether the browser's own drag and drop has begun since the last beginDrag. */
  restDrag: { options: null; result: boolean };
  /** What changed since the last beginDrag. */
  dragged: { options: null; result: Change };
  /** Takes a part of a file, as base64. The parts of one call come in their order. */
  takePart: { options: { key: string; part: string }; result: void };
  /** The file field that a target means; null when only a press on it can tell. */
  fileField: { options: { target?: Target }; result: SnapNode | null };
  giveFiles: { options: GiveOptions; result: { readonly done: Given } | NotReady };
  /** Drops files and texts as from another program; `kept` is `none` when nothing took them. */
  drop: { options: DropOptions; result: Outcome };
  /** Begins a drag that ends in another frame. */
  liftOut: { options: { target: Target }; result: { readonly done: Lifted } | NotReady };
  /** Ends the drag that `liftOut` has begun. */
  letGoOut: { options: null; result: void };
  /** How a value gets into a field. With the words of a value, a radio button that is called so is meant in the place of its group, or of another one in that. */
  fieldKind: { options: { target: Target; named?: string }; result: FieldKind };
  /** What changed since the last click, type or aim. A press may have removed its target; then it is about what is at its place now. */
  receipt: { options: { target: Target; at?: Point }; result: Change };
  /** What has come and gone since the last action began, and was not told yet, in its order. */
  /** Of a frame, only where the agent has acted: others, as advertisements, flash by themselves. */
  passed: { options: { isFrame: boolean }; result: readonly Passed[] };
  /** What has changed since the last action began, as it is now; null when there was none. */
  later: { options: null; result: LaterChange | null };
  /** Brings the target into view, and hides what secret fields show. */
  beginPicture: { options: PictureOptions; result: PictureScene };
  /** Shows what was hidden, and says whether all that is secret was so until now. From now on places are meant in the picture that was taken, if one was. */
  endPicture: { options: { place?: PicturePlace }; result: boolean };
  /** Shows that somebody acts in the page; without words it no longer does. */
  acting: { options: { words?: ActingWords }; result: void };
  /** Whether what the extension draws is out of the way of a real pointer. */
  makeWay: { options: { isMade: boolean }; result: void };
  /** Marks the element for the person who decides about it; without a target the mark of this key goes. */
  mark: { options: { key: string; target?: Target }; result: void };
  /** Keeps the element, or the document, for the debugger to fetch by the key. */
  hold: { options: { key: string; target?: Target }; result: string[] };
  /** Tells nothing but what each answer tells beside it: what secret fields hold. */
  lookForSecrets: { options: null; result: void };
  /** A step in the tab's history. */
  back: { options: null; result: void };
  forward: { options: null; result: void };
  selection: { options: null; result: SelectedText };
  /**
   * Lets the person point at an element, under these words if there are any; null when they cancel. With a key the page's own world is
   * asked for its source.
   */
  pick: { options: { words?: string; limitMs?: number; sourceKey?: string }; result: PickedElement | null };
  lookAgain: { options: { marks: readonly Mark[]; scrolls: boolean }; result: Again };
  /** Which frame of its parent this document is in; -1 where a parent does not tell. */
  indexInParent: { options: null; result: number };
  /** Whether such a frame is one that this document itself shows with this address. */
  namesFrame: { options: { index: number; address: string }; result: boolean };
  /** Where a place of the last picture is in the view, into which it is brought. */
  placeInView: { options: { point: Point }; result: Point };
  /** Where such a place is in the view of such a frame; null where it is not in the frame. */
  intoFrame: { options: { index: number; point: Point }; result: Point | null };
  /** Where a box in the view of such a frame is in the view of this document, as far as it can be seen; with `scrolls` it is brought into it. */
  fromFrame: { options: { index: number; box: Box; scrolls: boolean }; result: Box | null };
  /** Lets the person draw a box over the view; null when they cancel. */
  pickBox: { options: null; result: Box | null };
}

export type PageMethod = keyof PageMethods;

export type PageApi = {
  [N in PageMethod]: (
    options: PageMethods[N]['options'],
    signal: AbortSignal,
  ) => PageMethods[N]['result'] | Promise<PageMethods[N]['result']>;
};

/** An error inside the page, on its way to the worker. */
export interface PageFault {
  readonly code: ErrorCode;
  /** Text in Pilotfish's own words. */
  readonly detail: string;
  /** Text in the page's words. */
  readonly fromPage: string;
  /** What to do, where it is not what the code says. */
  readonly remedy?: string | undefined;
}

/** `isBusy`: something goes on in the page, so it was not asked. */
export type PageAnswer<N extends PageMethod = PageMethod> =
  | { readonly value: PageMethods[N]['result'] }
  | { readonly fault: PageFault }
  | { readonly isBusy: true };

/** An address that is a script, of a page of these origins: that of its address, and its own. */
export interface ScriptAddress {
  readonly address: string;
  readonly origins: readonly [string, string];
}

/** An answer, with where the refs of the document have come to, and whether anything has changed or was scrolled since the last action began. */
export interface PageReply<N extends PageMethod = PageMethod> {
  readonly answer: PageAnswer<N>;
  readonly refTop: number;
  readonly hasMoved: boolean;
  /** By what the page's own world is to be asked from now on for what its components say of themselves: some could not be asked. */
  readonly unanswered?: string;
  /** To which the call led, and which is to run in the page's own world. */
  readonly script?: ScriptAddress;
  /** What the secret fields of the document hold, where the answer has a text in which it could stand. */
  readonly secrets?: readonly string[];
  /** Of the document, told with these. */
  readonly origin?: string;
}

/** What `content-page.js` leaves in the page's isolated world. */
export interface PageDoor {
  readonly version: string;
  /** By what the document is known: another one has another, and so has this one once its content was replaced as a whole. */
  mark(): string;
  /** `refBase`: where the refs of a new document begin, so that no old ref of the tab ever means a new element. */
  answer<N extends PageMethod>(
    name: N,
    options: PageMethods[N]['options'],
    envelope: { readonly askId: string; readonly refBase: number; readonly stillMs?: number; readonly besides?: readonly string[] },
  ): Promise<PageReply<N>>;
  /** A cancelled question does nothing more to the page. */
  cancel(askId: string): void;
  /** Gives out what was held under the key, once. */
  release(key: string): Node | undefined;
  /** The page asked for files for this field. */
  asksForFiles(field: Node): void;
}

declare global {
  var pilotfishPage: PageDoor | undefined;
}
