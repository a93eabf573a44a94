import { z } from 'zod';
import { SeatDenialsView, SeatUseView } from '#licensing/insight/seat-reports/view.ts';
import { pageShape } from '../shapes.ts';

/** `license seats`, and with --denied who was refused. */
export const SeatsOutput = z.union([pageShape(SeatUseView), pageShape(SeatDenialsView)]);
