"""Calls of the official Python client against the API server, one line of result each."""
import openai

client = openai.OpenAI(max_retries=0)
hello = [{"role": "user", "content": "hello"}]

print("models", ",".join(model.id for model in client.models.list()))

whole = client.chat.completions.create(model="hermes-agent", messages=hello)
print("chat", whole.choices[0].message.content, whole.choices[0].finish_reason)

pieces = client.chat.completions.create(model="hermes-agent", messages=hello, stream=True)
print("stream", "".join((p.choices[0].delta.content or "") for p in pieces if p.choices))

first = client.responses.create(model="hermes-agent", input="Run it")
print("response", ",".join(item.type for item in first.output), first.output_text)

second = client.responses.create(model="hermes-agent", input="And?", previous_response_id=first.id)
print("continued", second.output_text)

last = None
for event in client.responses.create(model="hermes-agent", input="Again", previous_response_id=second.id, stream=True):
    last = event.type
print("streamed", last)

try:
    client.chat.completions.create(model="hermes-agent", messages=[])
except openai.BadRequestError as error:
    print("bad request", error.status_code)

try:
    openai.OpenAI(api_key="wrong", max_retries=0).models.list()
except openai.AuthenticationError as error:
    print("wrong key", error.status_code)
