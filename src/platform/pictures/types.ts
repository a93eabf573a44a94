/** Edges in pixels; the longest one counts (storefront-domain S27). */
export const VARIANTS = { thumbnail: 300, medium: 800, large: 1200 } as const;
export type VariantName = keyof typeof VARIANTS;
export const VARIANT_NAMES = Object.keys(VARIANTS) as VariantName[];

/** What a picture is rendered from, and into. */
export interface RenderOrder {
  /** File of this machine. */
  readonly path: string;
  /** Folder that takes `thumbnail`, `medium` and `large`; null where only whether it can be rendered is asked. */
  readonly folder: string | null;
  /** Of WebP, 1 to 100. */
  readonly quality: number;
  /** Longest edge in its own units of a drawing, which is rasterized as large as the largest variant; else null. */
  readonly drawn: number | null;
}

/** One file that was rendered. */
export interface RenderedFile {
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

/** What came of it. */
export interface Rendered {
  /** As it is shown: what the camera noted about its rotation is done. */
  readonly width: number;
  readonly height: number;
  /** A tiny WebP as data URI, for the time until the picture has come. */
  readonly blur: string;
  readonly files: Readonly<Record<VariantName, RenderedFile>>;
}

/** An order on its way to the process, and its answer. */
export type Asked = RenderOrder & { readonly id: number };
export type Answered = { readonly id: number; readonly rssBytes: number } & (
  | { readonly rendered: Rendered }
  | { readonly failure: string }
);
