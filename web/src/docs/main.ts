import './docs.css';
import { offerCalls } from './calls.ts';
import { offerCopies } from './copies.ts';
import { followReading } from './reading.ts';
import { offerSearch } from './search.ts';
import { offerThemes } from './themes.ts';

/** The pages can be read without any of this. */
offerThemes();
offerCopies();
offerSearch();
followReading();
offerCalls();
