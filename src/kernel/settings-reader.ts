/** What a reader needs to know of a setting. */
export interface SettingName<T> {
  readonly key: string;
  readonly default: T;
}

/** Reads settings from memory: request paths ask it freely. */
export interface SettingsReader {
  get<T>(setting: SettingName<T>): T;
  /** Rises with every change that was seen, so that what is derived from settings can be made anew. */
  readonly version: number;
}

/** A part of the program that works while a setting is on, or always. */
export interface Switched {
  readonly enabledBy?: SettingName<boolean>;
}

/** Whether a part without a switch, or with one that is on, does its work. */
export const isOn = ({ enabledBy }: Switched, ctx: { readonly settings: SettingsReader }): boolean =>
  enabledBy === undefined || ctx.settings.get(enabledBy);
