import type { Ctx } from '#kernel/context.ts';
import type { Chart } from '../charts/index.ts';
import type { Permission } from '../permissions/index.ts';
import type { Command } from './command.ts';

/** How serious a value is; its text says so too, because nobody should have to tell colors apart. */
export type Tone = 'ok' | 'info' | 'warn' | 'bad' | 'muted';

/**
 * How a value is written. `meter` takes `[used, most]`, most null for no limit; `tags` a list; `image` an address; `spark` figures, the oldest
 * first.
 */
export type CellKind =
  | 'text'
  | 'code'
  | 'number'
  | 'percent'
  | 'bytes'
  | 'date'
  | 'ago'
  | 'status'
  | 'flag'
  | 'tags'
  | 'meter'
  | 'spark'
  | 'image'
  | 'json';

/** A column of a list, or a line of the facts of an item. What is left out follows from the view's field of its name. */
export interface Column<View> {
  /** Made from the name when absent: `validUntil` is `Valid until`. */
  readonly label?: string;
  readonly kind?: CellKind;
  /** The plain value; the field of the view of the column's name when absent. */
  readonly value?: (view: View) => unknown;
  /** Path of the page that it leads to; null for none. */
  readonly link?: (view: View) => string | null;
  readonly tone?: (view: View) => Tone;
  /** Word of `sort`; the column's name where the list can be sorted by that. */
  readonly sort?: string;
  /** Off until somebody picks it. */
  readonly hidden?: true;
  /** Whoever lacks it does not see that there is such a column. */
  readonly needs?: Permission;
}

type TabLinks = readonly { readonly label: string; readonly href: string; readonly needs: Permission }[];

/** What an item page shows beside the facts: rows of another resource, what a template makes of what is loaded, or a way. */
export type Tab<View> = {
  readonly label: string;
  readonly needs?: Permission;
  readonly when?: (view: View) => boolean;
} & (
  | {
      /** Name of the resource whose rows are shown. */
      readonly of: string;
      /** Parameters of its list. */
      readonly filters?: (view: View) => Readonly<Record<string, string>>;
      /** What its path names, where it is below the item. */
      readonly named?: (view: View) => Readonly<Record<string, string>>;
      /** What would stand there and how it gets there, in a sentence; what the other resource says of itself when absent. */
      readonly empty?: string;
      /** Pages that change many of them at once, for whoever may open them. */
      readonly links?: (view: View, ctx: Ctx) => TabLinks | Promise<TabLinks>;
    }
  | {
      readonly template: string;
      readonly load: (ctx: Ctx, view: View) => Promise<Record<string, unknown>>;
    }
  | {
      /** Address of a page of its own, where what is shown needs capabilities above the resource. */
      readonly href: (view: View) => string;
      /** The resource that such a page belongs to: without it, or while it is switched off, there is no such page. */
      readonly isWith?: string;
    }
);

/** Fields of a form under one heading. */
export interface Section {
  readonly title: string;
  readonly help?: string;
  readonly fields: readonly string[];
  /** Shut until somebody opens it: what few need. */
  readonly isRare?: true;
}

/** Choices of a list in a table of boxes: each cell has those of its row and column. */
export interface Matrix {
  /** What the rows are, and the headings of the columns. */
  readonly of: string;
  readonly columns: readonly string[];
  readonly groups: readonly {
    readonly label: string;
    readonly rows: readonly {
      readonly label: string;
      readonly cells: readonly (readonly MatrixChoice[])[];
    }[];
  }[];
}

/** A box: what it stands for in a word or two, empty where row and column say it, and in a sentence. */
export interface MatrixChoice {
  readonly value: string;
  readonly word: string;
  readonly about: string;
}

/** Objects that name a thing by its kind and its id. */
export interface Pairs {
  /** The field of the kind, and that of the id. */
  readonly kind: string;
  readonly id: string;
  /** Resource of each kind, with the word that stands before the names of its items. */
  readonly of: Readonly<Record<string, { readonly resource: string; readonly label: string }>>;
}

/** How people write what JSON has otherwise, such as an amount that JSON has in cents. */
export interface Written {
  /** Said behind the label of the field. */
  readonly unit: string;
  /** Of its input, where that is not one of a number. */
  readonly attributes?: Readonly<Record<string, string | number | boolean>>;
  readonly text: (value: unknown) => string;
  readonly read: (text: string) => { readonly value: unknown } | { readonly fault: string };
}

/** How a form shows a field, where its schema does not say. */
export interface FieldHint {
  readonly label?: string;
  readonly help?: string;
  /** Suggested in an empty field. */
  readonly example?: string;
  readonly kind?: 'textarea' | 'code' | 'hidden';
  /** Resource whose items it names: offered for choice. */
  readonly of?: string;
  /** Field of that resource's view by which it names them; as its paths name them when absent. */
  readonly by?: string;
  /** A list of things of several kinds, each an object with these two fields: what there is of each kind is ticked by name. */
  readonly pairs?: Pairs;
  /** What others have in this field: offered while somebody types, who may write something else. */
  readonly suggest?: (ctx: Ctx) => Promise<readonly string[]>;
  /** What a list may hold, where its schema does not say: ticked, not typed. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  /** In place of one long list of boxes. */
  readonly matrix?: Matrix;
  /** How it is typed in this installation. */
  readonly written?: (ctx: Ctx) => Written;
}

/** Charts of a list. */
export interface ChartsOf {
  readonly charts: readonly Chart[];
  /** The same for other lengths of time; a link to the list narrows it too. */
  readonly ranges: readonly { readonly label: string; readonly href: string; readonly isCurrent: boolean }[];
  /** What the figures are of, in a sentence. */
  readonly note: string;
}

/** The parts of the panel that its navigation shows. */
export type PanelArea = 'home' | 'licensing' | 'insights' | 'system' | 'store' | 'content';

type PanelPath = `/admin/${string}` | `/store/${string}`;

/** What the answer of an action means. @param link where it leads on, beside what it says */
export interface Verdict {
  readonly text: string;
  readonly isGood: boolean;
  readonly link?: { readonly label: string; readonly href: string };
}

/** How staff works with a resource in a browser (admin.md 1.1). */
export interface Screen<View = Record<string, unknown>> {
  /** Where its pages are; it names what the resource's own path names. Those of the shop are below `/store`. */
  readonly path: PanelPath;
  /** Where the pages of items are, when the list that holds them is not part of their path. */
  readonly itemsAt?: PanelPath;
  /** The field of the view that names an item in paths, when it is not called as the path calls it. */
  readonly key?: string;
  /** At its path is a page that the capability declares itself, in place of the list. */
  readonly hasOwnList?: true;
  readonly area: PanelArea;
  /** In the navigation; the resource's plural when absent. Null for what is reached from elsewhere. */
  readonly nav?: string | null;
  /** Other words that people look for it by. */
  readonly words?: string;
  /** Its place in its area of the navigation: small ones come first. After those that have one when absent. */
  readonly order?: number;
  readonly columns: Readonly<Record<string, Column<View>>>;
  /** Labels of filters and fields that their own declarations call otherwise. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Pages of their own that the list leads to, for whoever may open them. */
  readonly links?: readonly { readonly label: string; readonly href: string; readonly needs: Permission }[];
  /** Pages that take the rows that are selected in the list, as its form for many sends them: `ids`, `all`, `filter`. */
  readonly chosenPages?: readonly {
    readonly label: string;
    readonly path: string;
    readonly needs: Permission;
  }[];
  /** Lists that many want, by name, each with its query. */
  readonly views?: readonly { readonly name: string; readonly query: string }[];
  readonly title: (view: View) => string;
  /** What stands above the page of an item; its title when absent. */
  readonly heading?: (view: View) => string;
  /** Where its pages lead back to and go on to once an item was made, when that is another page than its own list. */
  readonly home?: (named: Readonly<Record<string, string>>) => {
    readonly label: string;
    readonly href: string;
  };
  /** Facts of an item in this order; every field of its view when absent. */
  readonly facts?: Readonly<Record<string, Column<View>>>;
  readonly tabs?: Readonly<Record<string, Tab<View>>>;
  /** Sections of its forms; one of all fields when absent. */
  readonly sections?: Partial<Record<'create' | 'edit', readonly Section[]>>;
  /** By field, of its forms and of the dialogs of its actions. */
  readonly fields?: Readonly<Record<string, FieldHint>>;
  /** What a form begins with. */
  readonly initial?:
    | Readonly<Record<string, unknown>>
    | ((ctx: Ctx, named: Readonly<Record<string, string>>) => Promise<Readonly<Record<string, unknown>>>);
  /** What an item is changed from; the fields of its view when absent. */
  readonly values?: (view: View) => Record<string, unknown>;
  /**
   * Its first page can be followed as it grows: the stream of the admin API whose events announce new rows, which takes the
   * filters of the list; or `ask`, where a list is read again each second.
   */
  readonly live?: `/api/v1/admin/${string}` | 'ask';
  /** What the answer of an action means, in a sentence above it. */
  readonly verdicts?: Readonly<
    Record<string, (answer: Readonly<Record<string, unknown>>, ctx: Ctx) => Verdict | Promise<Verdict>>
  >;
  /** Figures of its subject, shown above its list to whom the list is for; loaded after the list. */
  readonly charts?: (ctx: Ctx, query: Readonly<Record<string, string>>) => Promise<ChartsOf>;
  /**
   * The commands that do what its pages do, by `create`, `change`, `remove` and the names of actions. What has none says
   * that no command does it.
   */
  readonly commands?: Readonly<Record<string, Command>>;
  /** An item can be made like another: the fields that its form then leaves empty, because each has its own. */
  readonly duplicate?: { readonly without: readonly string[] };
  /** What takes back what was done, by the name of the action or `remove`: another action, which needs no input. */
  readonly undo?: Readonly<Record<string, string>>;
  /** Actions that the pages do not offer: what another page does better. */
  readonly without?: readonly string[];
  readonly empty: {
    /** What one of them is for, in a sentence. */
    readonly text: string;
    /** Page of the manual. */
    readonly docs: string;
    /** The command that makes one; null where no command does. */
    readonly cli: string | null;
  };
  /** The key that leads to it after `g`. */
  readonly goKey?: string;
}
