import type { z } from 'zod';
import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import type { SettingName } from '../settings-reader.ts';
import type { Content } from './content.ts';
import type { FileRule, SentFiles } from './form-files.ts';
import type { RateLimit } from './rate-limit.ts';
import type { ReplyHead } from './reply.ts';
import type { Audience, Visitor } from './visitor.ts';

type Schema = z.ZodType;
type Out<S> = S extends Schema ? z.output<S> : undefined;

/** A template and its view model, or another address. */
export type Shown =
  | {
      readonly view: string;
      readonly data: Record<string, unknown>;
      readonly status?: number;
      /** What the form of the page holds before somebody fills it in: of the thing that it edits. */
      readonly values?: Readonly<Record<string, unknown>>;
      /** Why the form of this page was not taken: said beside its fields, which keep what was sent. */
      readonly refused?: AppError;
      readonly head?: ReplyHead;
    }
  | {
      /** A file in place of a page, such as a list of addresses for search engines. */
      readonly content: { readonly type: string; readonly text: string | Uint8Array };
      readonly head?: ReplyHead;
    }
  | {
      /** Bytes in place of a page: they are sent while they are read, whole or in part. */
      readonly stream: Content;
      /** What is shown when they are refused before the first of them was sent. */
      readonly orElse: (error: AppError) => Promise<Shown>;
    }
  | {
      readonly redirect: string;
      /** 303 when absent: 301 where it is so for ever. */
      readonly status?: 301 | 303;
      readonly head?: ReplyHead;
      /** The form that was sent is kept in the session until its page is shown again: something else comes first. */
      readonly keepsForm?: true;
    };

/** Where the navigation of a layout shows a page. */
export interface NavPlace {
  /** The part of the navigation: the layout knows which there are. */
  readonly area: string;
  readonly label: string;
  /** Other words that people look for it by. */
  readonly words?: string;
  /** The key that leads to it after `g`. */
  readonly goKey?: string;
  /** Small ones come first; after those that have one when absent. */
  readonly order?: number;
}

interface Common {
  /** The switch of its capability, without which its address is unknown; `gather` sets it. */
  readonly enabledBy?: SettingName<boolean>;
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly title: string;
  readonly audience: Audience;
  /** Open to staff that owes something: it is done here. */
  readonly isWhileOwing?: true;
  /** Template around the page: `layouts/page` when absent. `Site.around` says what it shows beside the page. */
  readonly layout?: string;
  /** Shown in the navigation of its layout to whom the page is for; absent for what is reached from elsewhere. */
  readonly nav?: NavPlace;
  /** The page of the manual about it, by its topic: its layout leads there. */
  readonly help?: string;
  /** A parameter of its query may come several times, as checkboxes send it: `a=1&a=2` is read as `a=1,2`. */
  readonly joinsRepeated?: true;
  /**
   * Its body is compressed although it is not kept: beside the token of its forms, which is stored apart, it holds no
   * secret that a visitor's own words could stand beside (decision 0074).
   */
  readonly packs?: true;
  /** Views of parts that htmx may ask for alone, by the id of the element that they replace (admin.md 3). */
  readonly fragments?: Readonly<Record<string, string>>;
  /** Shows what there is not, at the addresses below its own that no other page has. */
  readonly isForTheRest?: true;
  /**
   * Views of what failed: around it the layout, or `alone` when that cannot be shown. `model` is what both find beside
   * the failure; it is asked for without a visitor, and must not need the database.
   *
   * @param languages that the browser asks for, best first
   * @param path of the request
   */
  readonly errors?: {
    readonly view: string;
    readonly alone: string;
    readonly model?: (
      ctx: Ctx,
      languages: readonly string[],
      path: string,
    ) => Promise<Record<string, unknown>>;
  };
  /**
   * How long its rendered body is kept for visitors of whom nothing is known, until `revision` is another one; browsers
   * are told that they may keep it, too, and ask whether it is still the same (shop-pages 1).
   */
  readonly kept?: {
    readonly seconds: number;
    /** @param url as it was asked for: path and query */
    readonly revision: (ctx: Ctx, url: string) => Promise<unknown>;
  };
  /** How often it may be looked at and sent; each counts every request, successful or not. */
  readonly limit?: { readonly show?: RateLimit; readonly submit?: readonly RateLimit[] };
  /**
   * Its address carries the secret of a mail, and its form acts for whoever that mail was sent to: mail programs send it
   * without a session and its token (RFC 8058).
   */
  readonly isProvenByAddress?: true;
  /**
   * Where its form leads when its token ended with the session because the form was sent before, as by a second click;
   * null where that is not so.
   */
  readonly doneAt?: (ctx: Ctx) => Promise<string | null>;
  /** Largest form in bytes, without its files; 64 KiB when absent. */
  readonly formBytes?: number;
  /** Most fields of its form; 500 when absent: a table of fields has more. */
  readonly formFields?: number;
}

interface Asked<P, Q> {
  readonly params: P;
  readonly query: Q;
  readonly visitor: Visitor;
}

interface PageSpec<
  P extends Schema | undefined,
  Q extends Schema | undefined,
  F extends z.ZodObject | undefined,
> extends Common {
  readonly params?: P;
  readonly query?: Q;
  /** Fields of its form. A name may come several times where the schema has an array. */
  readonly form?: F;
  /** Files of its form by the name of their field. */
  readonly files?: Readonly<Record<string, FileRule>>;
  show(ctx: Ctx, asked: Asked<Out<P>, Out<Q>>): Promise<Shown>;
  /**
   * Does what the form asks for. What it throws as `refuseForm`, or as an AppError of input or state, is shown beside
   * the form, which keeps its values.
   */
  submit?(
    ctx: Ctx,
    sent: Asked<Out<P>, Out<Q>> & { readonly form: Out<F>; readonly files: SentFiles },
  ): Promise<Shown>;
}

/** What routing and tests read: the types of the input are settled by `page`. */
export interface Page extends Common {
  readonly params?: Schema | undefined;
  readonly query?: Schema | undefined;
  readonly form?: z.ZodObject | undefined;
  readonly files?: Readonly<Record<string, FileRule>> | undefined;
  show(ctx: Ctx, asked: Asked<unknown, unknown>): Promise<Shown>;
  submit?: (
    ctx: Ctx,
    sent: Asked<unknown, unknown> & {
      readonly form: unknown;
      readonly files: SentFiles;
    },
  ) => Promise<Shown>;
}

/**
 * Declares a page once; templates receive view models only (architecture section 6). Every view also finds `title`,
 * `form` (values, errors, summary), `csrfToken()`, `visitor` and `asset(name)`.
 */
export const page = <
  P extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
  F extends z.ZodObject | undefined = undefined,
>(
  spec: PageSpec<P, Q, F>,
): Page => spec as unknown as Page;

/** @param more status, values of the form, headers, cookies, cache rule */
export const show = (
  view: string,
  data: Record<string, unknown>,
  more: { status?: number; values?: Readonly<Record<string, unknown>>; head?: ReplyHead } = {},
): Shown => ({ view, data, ...more });

/** A file, as its own type and without a layout. @param type as Content-Type says it */
export const file = (type: string, text: string | Uint8Array, head?: ReplyHead): Shown => ({
  content: { type, text },
  ...(head && { head }),
});

/** What was at this address is at another one for ever: 301. */
export const movedTo = (address: string): Shown => ({ redirect: address, status: 301 });

/** Leads to what has to be done before a form can be taken, which is kept meanwhile. */
export const goFirst = (address: string): Shown => ({ redirect: address, keepsForm: true });

/** Answers 303, as after every form that did its work. @param address path inside this installation */
export const goTo = (address: string, head?: ReplyHead): Shown => ({
  redirect: address,
  ...(head && { head }),
});

/** A form that was understood and is refused: its page is shown again with the texts beside the fields. */
export class FormRefusal extends AppError {
  /** Text by field. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(message: string, fields: Readonly<Record<string, string>>, status: number) {
    super('VALIDATION_ERROR', status, message, { details: { fields } });
    this.fields = fields;
  }
}

/**
 * @param message for the summary above the form: what is wrong and what to do
 * @param fields text by field, where one is to blame
 * @param status of the answer
 */
export const refuseForm = (
  message: string,
  fields: Readonly<Record<string, string>> = {},
  status = 400,
): FormRefusal => new FormRefusal(message, fields, status);
