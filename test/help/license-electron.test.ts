import { nodes } from '../packaging/nodes.ts';
import { prepared, testPage } from './run-page.ts';
import { electron } from './stand-ins.ts';

testPage('license-electron', { serve: [], after: prepared, around: electron, nodes });
