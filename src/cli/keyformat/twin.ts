import type { KeyFormatView } from '#licensing/catalog/key-formats/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

/** A key format as an operation answers it. */
export interface OneKeyFormat {
  readonly keyFormat: KeyFormatView;
}

const twins = twinsOf(async () => [
  (await import('#licensing/catalog/key-formats/resource.ts')).keyFormatResource,
]);

/** Opens the desk of a command about key formats. Throws as withDesk does. */
export const withKeyFormats = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work);

/** Reads a key format by its name or id. */
export const keyFormatOf = async (desk: Desk, name: string): Promise<KeyFormatView> =>
  (await desk.get<OneKeyFormat>(at`key-formats/${name}`)).keyFormat;
