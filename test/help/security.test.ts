import { testPage } from './run-page.ts';

testPage('security');
