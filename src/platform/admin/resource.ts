import type { z } from 'zod';
import type { StaffResource } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Selection } from '#kernel/db/selection/spec.ts';
import type { UploadRule } from '#kernel/http/endpoint.ts';
import type { Permission } from '../permissions/index.ts';
import type { ANY_STAFF } from './fields.ts';
import type { Screen } from './screen.ts';
import type { Beside } from './view.ts';

/** What somebody has to hold; `staff` where the use case itself says who may do what. */
type StaffNeed = Permission | typeof ANY_STAFF;

/** How much asking a change needs (admin.md 1): it runs, it asks, it asks for the name. */
export type Level = 'mild' | 'moderate' | 'severe';

/** A body: an object that refuses unknown fields. */
export type Form = z.ZodObject;

/** What a path names beside the item itself: `{configId}` of the collection that it is in. */
export type Named = Readonly<Record<string, string>>;

/** How a change is asked for, beside its input. */
export interface How {
  /** What else the path names. */
  readonly named: Named;
  /** `updatedAt` as the caller read it; undefined changes any state. */
  readonly ifMatch?: string | undefined;
  /** Why, for the audit log. */
  readonly note?: string | undefined;
  /** Header Idempotency-Key; for a creation that is `isOnce`. */
  readonly idempotencyKey?: string;
}

/** What the document says of an operation where the engine's own words do not fit. */
export interface Words {
  readonly summary?: string;
  /** Codes beside those of every operation. */
  readonly errors?: readonly string[];
}

/** What makes an item, or changes one. */
export interface Making<F extends Form> extends Words {
  /** As callers send it; strict. The engine adds `note`. */
  readonly schema: F;
  /** Name of the body in the document, `<Item>CreateBody` and `<Item>UpdateBody` when absent. */
  readonly body?: string;
  /** Fields that are answered beside the item. */
  readonly beside?: z.ZodRawShape;
  /** Name of an answer with fields beside the item, `<Item>Created` and `<Item>Changed` when absent. */
  readonly answer?: string;
  readonly sudo?: true;
  readonly rehearsable?: false;
}

export interface Creation<Row, F extends Form> extends Making<F> {
  /** 200 for what changes an item that is there already; it reads If-Match. */
  readonly status?: 200 | 201;
  /** Knows repetitions itself, by `how.idempotencyKey`; otherwise the engine keeps the answer for them. */
  readonly isOnce?: true;
  readonly run: (ctx: Ctx, input: z.output<F>, how: How) => Promise<Row | Beside<Row>>;
}

export interface Edition<Row, F extends Form> extends Making<F> {
  /** False where rows have no version that a body could name, as changes of the shop's JSON otherwise do. */
  readonly hasVersion?: false;
  /** What a change does to other things, in words, before it is saved; judges its input as `run` does. None: nothing. */
  readonly preview?: (ctx: Ctx, id: string, input: z.input<F>) => Promise<readonly string[]>;
  readonly run: (ctx: Ctx, id: string, input: z.output<F>, how: How) => Promise<Row | Beside<Row>>;
}

export interface Removal extends Words {
  readonly level: Level;
  /** What goes with it, in words. */
  readonly preview?: (ctx: Ctx, id: string) => Promise<readonly string[]>;
  /** Why; sent as a body. */
  readonly input?: Form;
  /** Said in the address, by programs that send no body with DELETE; `run` gets it with the input. */
  readonly query?: z.ZodObject;
  readonly run: (ctx: Ctx, id: string, how: How, input: unknown) => Promise<unknown>;
  /** Several at once. */
  readonly isBulk?: true;
  readonly sudo?: true;
}

/** What can be done with an item, with several, or with the collection. */
export interface Action<Row = unknown> extends Words {
  readonly label: string;
  readonly needs: StaffNeed;
  /** Another permission that opens it as well. */
  readonly or?: Permission;
  readonly level: Level;
  /** One item, several (`POST /bulk`), either, or the collection. */
  readonly where: 'row' | 'bulk' | 'both' | 'page';
  readonly method?: 'get' | 'post' | 'put' | 'delete';
  /** Below the item or the collection; `/{name of the action}` when absent. */
  readonly path?: string;
  readonly input?: Form;
  /** A query in place of a body. */
  readonly query?: z.ZodObject;
  readonly upload?: UploadRule;
  /** Answered in place of the item. */
  readonly output?: z.ZodObject;
  /** Answers with a file of this type, which `run` returns (`Content`). */
  readonly file?: { readonly type: string };
  readonly beside?: z.ZodRawShape;
  /** Name of an answer with fields beside the item. */
  readonly answer?: string;
  readonly status?: 200 | 201 | 202;
  /** Reads If-Match. */
  readonly conditional?: true;
  readonly sudo?: true;
  readonly rehearsable?: false;
  /** Offered for this item. */
  readonly when?: (row: Row) => boolean;
  /** What is before it and what would be after it, in words, for who is asked whether to do it. */
  readonly preview?: (ctx: Ctx, id: string) => Promise<readonly string[]>;
  /** @param id undefined for the collection; `input` is the body, the query, or `{ file, query }` of an upload */
  readonly run: (ctx: Ctx, id: string, input: never, how: How) => Promise<unknown>;
}

/** Declares an action: its input is read by its schema, so that its use case gets what it says. */
export const action = <Row, F extends Form = z.ZodObject<Record<never, never>>>(
  spec: Omit<Action<Row>, 'run' | 'input' | 'output'> & {
    readonly input?: F;
    readonly output?: undefined;
    readonly run: (ctx: Ctx, id: string, input: z.output<F>, how: How) => Promise<Row | Beside<Row>>;
  },
): Action<Row> => spec as unknown as Action<Row>;

/** As `action`, for one that answers something else than the item. */
export const answering = <
  Row,
  O extends z.ZodObject,
  F extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(
  spec: Omit<Action<Row>, 'run' | 'input' | 'query' | 'output'> & {
    readonly input?: F;
    readonly query?: F;
    readonly output: O;
    readonly run: (ctx: Ctx, id: string, input: z.output<F>, how: How) => Promise<z.input<O>>;
  },
): Action<Row> => spec as unknown as Action<Row>;

/** The collection that holds the items, where a path names it: `/integrations/{configId}/mappings`. */
export interface Parent {
  /** Name in the path. */
  readonly name: string;
  /** Filter that narrows the rows to it; it is no parameter of the list then. */
  readonly filter?: string;
  /** Throws NOT_FOUND for one that is not there. @returns the id that the filter takes */
  readonly find: (ctx: Ctx, named: string) => Promise<string>;
}

/** Declares how an item is made on one surface: its input is read by its own schema. */
export const making = <Row, F extends Form>(spec: Creation<Row, F>): Creation<Row, Form> =>
  spec as unknown as Creation<Row, Form>;

/** As `making`, for how one is changed. */
export const changing = <Row, F extends Form>(spec: Edition<Row, F>): Edition<Row, Form> =>
  spec as unknown as Edition<Row, Form>;

/** What a resource does otherwise on one surface than it says of itself: its use cases are the same. */
export interface Own<Row> {
  readonly needs?: ResourceSpec<object>['needs'];
  readonly rows?: Selection<Row>;
  readonly create?: Creation<Row, Form>;
  readonly edit?: Edition<Row, Form>;
  /** In place of all that the resource declares. */
  readonly actions?: Readonly<Record<string, Action<Row>>>;
}

/** How rows are shown: one by one, or a page at once where one question tells something of all of them. */
export type Showing<Row, Shown = object> =
  | { readonly toView: (row: Row, ctx: Ctx) => Shown | Promise<Shown>; readonly toViews?: never }
  | { readonly toViews: (rows: readonly Row[], ctx: Ctx) => Promise<Shown[]>; readonly toView?: never };

/** A resource on one staff surface: its JSON endpoints (admin.md 1). */
export type Twin<Row, View extends z.ZodObject = z.ZodObject> = Place<Row, View> &
  Showing<Row, z.output<View>>;

/** Where a resource stands on a surface, and what it offers there. */
export interface Place<Row, View extends z.ZodObject = z.ZodObject> {
  readonly surface: 'license-admin' | 'store';
  /** Below the surface's own prefix: `/webhooks`. */
  readonly path: string;
  /** Name of one item in answers: `webhook`. */
  readonly item: string;
  /** The same where the document names types, when another resource has an item of this name: `InboundEvent`. */
  readonly type?: string;
  /** `.meta({ id })` names it in the document. */
  readonly view: View;
  /** One item alone shows more than a line of the list. */
  readonly details?: Showing<Row> & {
    readonly view: z.ZodObject;
    /** Lists show them too when `details=true` asks for them: a line of such a list, with and without. */
    readonly listed?: z.ZodObject;
  };
  /** What changes an item answers with what one item alone shows. */
  readonly answers?: 'details';
  /** A plain list, pages (default), a log by cursor, or a plain list of items that hold those under them. */
  readonly paged?: boolean | 'cursor' | 'tree';
  /** Of a tree: id of the row that a row is under; null at the top. */
  readonly under?: (row: Row) => string | null;
  /** What names a row, where the view looks further things up or counts them: fields that choose one need no more. */
  readonly brief?: (row: Row) => Partial<z.output<View>>;
  /** Name of the item in paths, when not `id`. */
  readonly key?: string;
  readonly parent?: Parent;
  /** Where items stand when the collection that holds them is not part of their path: `/deliveries`. */
  readonly itemsAt?: string;
  /** Operations that this surface does not offer, or that are declared by hand beside it. */
  readonly without?: readonly ('list' | 'get' | 'create' | 'change' | 'remove' | 'export' | 'bulk')[];
  readonly own?: Own<Row>;
  /** What the document says of each. */
  readonly summaries?: Partial<Record<'list' | 'get' | 'export' | 'bulk', string>>;
}

/** Something that staff works with, declared once (admin.md 1). */
export interface ResourceSpec<Row extends object, C extends Form = Form, E extends Form = Form> {
  /** Plural, kebab-case: what the audit log and the palette call its kind. */
  readonly name: string;
  /** As sentences say it: `key format`, `key formats`. */
  readonly labels: { readonly one: string; readonly many: string };
  /** What the group of its operations is, in the document. */
  readonly about: string;
  readonly needs: {
    readonly read: StaffNeed;
    /** Another permission that opens reading as well. */
    readonly orRead?: Permission;
    readonly create?: Permission;
    readonly write?: Permission;
    /** Another permission that opens changes and removals as well, and creations where they need nothing of their own. */
    readonly orWrite?: Permission;
    readonly remove?: Permission;
    readonly export?: Permission;
  };
  /** Its rows: lists, exports and bulk runs. */
  readonly rows: Selection<Row>;
  /** Rows of several tenants stand side by side: the report of a bulk run is for who sees every tenant. */
  readonly ofInstallation?: true;
  /** One item by what a path names; the row of that id when absent. Throws NOT_FOUND. */
  readonly get?: (ctx: Ctx, named: string, how: Pick<How, 'named'>) => Promise<Row>;
  readonly create?: Creation<Row, C>;
  readonly edit?: Edition<Row, E>;
  readonly remove?: Removal;
  readonly actions?: Readonly<Record<string, Action<Row>>>;
  /** How the search over everything shows one; what has none is not searched. */
  readonly palette?: {
    readonly title: (row: Row) => string;
    readonly hint?: (row: Row) => string | null;
  };
  /** Its pages for staff; none when absent. */
  readonly screen?: Screen;
  readonly apis: readonly Twin<Row>[];
}

/** A declared resource, with what it was declared as. */
export interface Resource extends StaffResource {
  readonly spec: ResourceSpec<never, never, never>;
}

/**
 * Declares how a resource is worked with in a browser. It stands here, because short commands name resources and load
 * nothing of their pages.
 *
 * @param _view that of its JSON twin, which the columns are typed by
 */
export const screen = <V extends z.ZodObject>(_view: V, spec: Screen<z.output<V>>): Screen =>
  spec as unknown as Screen;

/**
 * As `screen`, for what stands in the store alone: its pages have the names that code has.
 *
 * @param _view that of its JSON twin
 */
export const storeScreen = <V extends z.ZodObject>(_view: V, spec: Screen<Camel<z.output<V>>>): Screen =>
  spec as unknown as Screen;

/** `compare_at_cents` is `compareAtCents`. */
type Camel<T> = T extends readonly (infer E)[]
  ? Camel<E>[]
  : T extends object
    ? { [K in keyof T as K extends string ? CamelName<K> : K]: Camel<T[K]> }
    : T;

type CamelName<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<CamelName<B>>}` : S;
