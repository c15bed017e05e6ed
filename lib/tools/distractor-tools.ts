import { DISTRACTOR_NAMES } from '../events/distractor-names.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { ADD_TASKS, madeUpTool, SEND_NOTE, SET_TIMER } from './made-up-tools.ts';
import type { Tool } from './tool.ts';
import { failed } from './tool-results.ts';

/** Description and parameters of the other tools. All parameters are strings, and the first is required. */
const SIMPLE: Readonly<Record<string, readonly [description: string, ...parameters: string[]]>> = {
  get_weather: ['Get the weather forecast for a city.', 'city', 'date'],
  convert_currency: ['Convert an amount from one currency to another.', 'amount', 'from', 'to'],
  book_flight: ['Book a flight between two airports.', 'origin', 'destination', 'date'],
  find_hotel: ['Find hotels with free rooms in a city.', 'city', 'check_in', 'check_out'],
  send_email: ['Send an email to a person.', 'to', 'subject', 'body'],
  create_event: ['Create an event in the calendar.', 'title', 'start', 'end'],
  list_events: ['List the events of a day in the calendar.', 'date'],
  translate_text: ['Translate a text into another language.', 'text', 'language'],
  get_stock_price: ['Get the latest price of a stock.', 'symbol'],
  play_music: ['Play a song or an album.', 'title', 'artist'],
  set_alarm: ['Set an alarm for a time of day.', 'time', 'label'],
  order_food: ['Order a dish from a restaurant.', 'dish', 'restaurant', 'address'],
  track_parcel: ['Track a parcel by its number.', 'number'],
  get_route: ['Get directions between two places.', 'from', 'to', 'means'],
  call_taxi: ['Call a taxi to an address.', 'address', 'destination'],
  search_recipes: ['Search recipes by their ingredients.', 'ingredients'],
  count_calories: ['Estimate the calories of a meal.', 'meal'],
  log_workout: ['Record a workout in the training diary.', 'activity', 'duration'],
  book_appointment: ['Book an appointment with a doctor.', 'speciality', 'date'],
  get_news: ['Get the headlines about a topic.', 'topic'],
  post_message: ['Post a message to a chat channel.', 'channel', 'text'],
  create_ticket: ['Create a ticket in the issue tracker.', 'title', 'description'],
  close_ticket: ['Close a ticket in the issue tracker.', 'ticket'],
  query_database: ['Run a query against the customer database.', 'query'],
  create_invoice: ['Create an invoice for a customer.', 'customer', 'amount'],
  get_balance: ['Get the balance of a bank account.', 'account'],
  transfer_money: ['Transfer money to another account.', 'account', 'amount'],
  turn_on_light: ['Turn on a light at home.', 'room'],
  set_thermostat: ['Set the temperature of a room.', 'room', 'temperature'],
  lock_door: ['Lock a door at home.', 'door'],
  take_photo: ['Take a photo with a camera.', 'camera'],
  describe_image: ['Describe what an image shows.', 'url'],
  generate_image: ['Generate an image from a description.', 'description'],
  resize_image: ['Resize an image.', 'url', 'width', 'height'],
  get_definition: ['Look up a word in the dictionary.', 'word'],
  find_synonyms: ['Find words with a similar meaning.', 'word'],
  get_time_zone: ['Get the time zone of a city.', 'city'],
};

const FIRST: ReadonlyMap<string, ToolDefinition> = new Map(
  [SET_TIMER, ADD_TASKS, SEND_NOTE].map((definition) => [definition.function.name, definition]),
);

/**
 * Made-up tools that measure how a model chooses among many. Calling one fails with a note that nothing was done.
 *
 * @param count how many, from the first of `DISTRACTOR_NAMES`
 */
export function distractorTools(count: number = 0): Tool[] {
  return DISTRACTOR_NAMES.slice(0, count).map((name) => ({
    definition: FIRST.get(name) ?? simpleTool(name),
    isReadOnly: true,
    run: async () =>
      failed(name, { error: 'Nothing was done: this tool is made up, to see which tools are called.' }),
  }));
}

function simpleTool(name: string): ToolDefinition {
  const [description = '', ...parameters] = SIMPLE[name] ?? [];
  return madeUpTool(name, description, {
    type: 'object',
    properties: Object.fromEntries(parameters.map((each) => [each, { type: 'string' }])),
    required: parameters.slice(0, 1),
  });
}
