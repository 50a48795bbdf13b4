"""Builds the model of a workload, takes steps and reads the counters. Everything here needs PyTorch."""
import contextlib
import datetime
import os
import statistics
import subprocess
import time

import torch

GIB = 2.0 ** 30
TYPES = {'fp32': torch.float32, 'tf32': torch.float32, 'amp-fp16': torch.float32, 'amp-bf16': torch.float32, 'fp16': torch.float16,
         'bf16': torch.bfloat16}
AUTOCAST = {'amp-fp16': torch.float16, 'amp-bf16': torch.bfloat16}
TARGETS = {'q': 'q_proj', 'k': 'k_proj', 'v': 'v_proj', 'o': 'o_proj'}


def vision_model(whole, library):
    if library == 'timm':
        import timm
        options = {'num_classes': whole['classes']} if 'classes' in whole else {}
        if 'image' in whole and timm.get_pretrained_cfg(whole['model']).fixed_input_size:
            options['img_size'] = whole['image']  # position tables are made for one size
        model = timm.create_model(whole['model'], pretrained=False, **options)
        image = whole.get('image') or model.default_cfg['input_size'][-2:]
        if whole.get('grad_checkpointing') == 'full':
            model.set_grad_checkpointing(True)
    else:
        import torchvision
        options = {'num_classes': whole['classes']} if 'classes' in whole else {}
        model = getattr(torchvision.models, whole['model'])(weights=None, **options)
        image = whole.get('image') or (299 if whole['model'] == 'inception_v3' else 224)
    height, width = (image, image) if isinstance(image, int) else image
    return model, (3, height, width), whole.get('classes', 1000)


def adapted(model, whole):
    import peft
    targets = whole['lora_targets']
    if targets == 'attention':
        targets = 'q,k,v,o'
    names = targets if targets == 'all-linear' else [TARGETS.get(t, t) for t in targets.split(',')]
    if whole['method'] == 'qlora':
        model = peft.prepare_model_for_kbit_training(model, use_gradient_checkpointing=whole['grad_checkpointing'] == 'full')
    rank = whole['lora_rank']
    return peft.get_peft_model(model, peft.LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=names, task_type='CAUSAL_LM'))


def text_model(whole, path, device):
    import transformers
    auto = {'lm': transformers.AutoModelForCausalLM, 'classification': transformers.AutoModelForSequenceClassification,
            'none': transformers.AutoModel}[whole['head']]
    attention = {'flash': 'flash_attention_2'}.get(whole['attention'], whole['attention'])
    if whole.get('method') == 'qlora':
        quantised = transformers.BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4', bnb_4bit_use_double_quant=True,
                                                    bnb_4bit_compute_dtype=torch.bfloat16)
        model = auto.from_pretrained(path, quantization_config=quantised, torch_dtype=torch.bfloat16, device_map={'': device},
                                     attn_implementation=attention)
    else:
        config = transformers.AutoConfig.from_pretrained(path)
        if 'classes' in whole and whole['head'] == 'classification':
            config.num_labels = whole['classes']
        model = auto.from_config(config, torch_dtype=TYPES[whole['precision']], attn_implementation=attention)
    model.config.use_cache = whole['task'] == 'infer' and whole['head'] == 'lm'
    if whole.get('grad_checkpointing') == 'full':
        model.gradient_checkpointing_enable()
        model.enable_input_require_grads()
    if whole.get('method', 'full') != 'full':
        model = adapted(model, whole)
    return model


def optimizer_of(model, name):
    trained = [p for p in model.parameters() if p.requires_grad]
    if name in ('sgd', 'sgd-momentum'):
        return torch.optim.SGD(trained, lr=1e-4, momentum=0.9 if name == 'sgd-momentum' else 0.0)
    if name in ('adam', 'adamw'):
        return (torch.optim.Adam if name == 'adam' else torch.optim.AdamW)(trained, lr=1e-5)
    if name == 'adafactor':
        import transformers
        return transformers.Adafactor(trained, lr=1e-5, relative_step=False, scale_parameter=False)
    import bitsandbytes
    kind = {'adamw-8bit': 'AdamW8bit', 'paged-adamw-8bit': 'PagedAdamW8bit', 'lion': 'Lion'}[name]
    return getattr(bitsandbytes.optim, kind)(trained, lr=1e-5)


class Workload:
    """A model on the device with its input, and one step of it."""

    def __init__(self, whole, library, path, device):
        self.whole, self.device = whole, device
        self.training = whole['task'] != 'infer'
        dtype = TYPES[whole['precision']]
        batch = whole['batch']
        if library == 'transformers':
            self.model = text_model(whole, path or whole['model'], device)
            words = getattr(self.model.config, 'vocab_size', 1000)
            length = whole.get('prompt_len', whole['seq']) if not self.training else whole['seq']
            self.inputs = {'input_ids': torch.randint(words, (batch, length), device=device),
                           'attention_mask': torch.ones((batch, length), dtype=torch.long, device=device)}
            if self.training and whole['head'] == 'lm':
                self.inputs['labels'] = self.inputs['input_ids']
            elif self.training and whole['head'] == 'classification':
                self.inputs['labels'] = torch.randint(self.model.config.num_labels, (batch,), device=device)
        else:
            self.model, shape, classes = vision_model(whole, library)
            layout = torch.channels_last if whole.get('channels_last') else torch.contiguous_format
            self.model = self.model.to(memory_format=layout)
            self.images = torch.randn((batch, *shape), device=device, dtype=dtype).contiguous(memory_format=layout)
            self.labels = torch.randint(classes, (batch,), device=device)
            self.inputs = None
        if whole.get('method') != 'qlora':
            self.model = self.model.to(device=device, dtype=None if whole.get('method') == 'lora' else dtype)
        self.model.train(self.training)
        self.optimizer = optimizer_of(self.model, whole['optimizer']) if self.training else None
        scaler = torch.amp.GradScaler if hasattr(torch.amp, 'GradScaler') else torch.cuda.amp.GradScaler
        self.scaler = scaler(enabled=device == 'cuda' and whole['precision'] == 'amp-fp16')
        self.forward = torch.compile(self.model) if whole.get('compile') else self.model

    def autocast(self):
        kind = AUTOCAST.get(self.whole['precision'])
        return torch.autocast(self.device, dtype=kind) if kind else contextlib.nullcontext()

    def loss(self):
        with self.autocast():
            if self.inputs is None:
                out = self.forward(self.images)
                out = out.logits if hasattr(out, 'logits') else out
                return torch.nn.functional.cross_entropy(out.float(), self.labels)
            out = self.forward(**self.inputs)
            return out.loss if getattr(out, 'loss', None) is not None else out[0].float().mean()

    def step(self):
        if not self.training:
            with torch.inference_mode(), self.autocast():
                return self.forward(self.images) if self.inputs is None else self.forward(**self.inputs)
        for _ in range(self.whole['accumulate']):
            self.scaler.scale(self.loss() / self.whole['accumulate']).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)
        return None

    def generate(self, tokens):
        with torch.inference_mode():
            self.model.generate(**self.inputs, min_new_tokens=tokens, max_new_tokens=tokens, do_sample=False)


def used_gib():
    """What the driver's tool shows for the card in use, or None."""
    card = os.environ.get('CUDA_VISIBLE_DEVICES', '0').split(',')[0] or '0'
    try:
        done = subprocess.run(['nvidia-smi', '--query-gpu=memory.used,driver_version', '--format=csv,noheader,nounits', '-i', card],
                              capture_output=True, text=True, timeout=30)
        used, driver = done.stdout.strip().split(', ')
        return float(used) / 1024, driver
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None, None


def timed(action, device):
    if device == 'cuda':
        torch.cuda.synchronize()
    start = time.perf_counter()
    action()
    if device == 'cuda':
        torch.cuda.synchronize()
    return time.perf_counter() - start


def times(workload, arguments):
    """-> {what: value}, with the counters reset after the warm-up: the first steps allocate states and try algorithms."""
    whole, device = workload.whole, workload.device
    generation = whole['task'] == 'infer' and whole.get('head') == 'lm'
    first = (lambda: workload.generate(1)) if generation else workload.step
    for _ in range(max(1, arguments.warmup)):
        timed(first, device)
    if device == 'cuda':
        torch.cuda.reset_peak_memory_stats()
    taken = statistics.median(timed(first, device) for _ in range(arguments.measured_steps))
    if not generation:
        return {'step_seconds': taken}
    further = whole['gen_len'] - 1
    all_tokens = statistics.median(timed(lambda: workload.generate(whole['gen_len']), device) for _ in range(3))
    values = {'prefill': whole['batch'] * whole['prompt_len'] / taken}
    if whole['batch'] == 1 and further > 0:
        values['decode'] = further / (all_tokens - taken)
    return values


def measure(whole, library, arguments):
    """-> (values, conditions)"""
    device = arguments.device
    if device == 'cuda' and not torch.cuda.is_available():
        raise ImportError('PyTorch finds no CUDA or ROCm card')
    tf32 = whole['precision'] == 'tf32'
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = bool(whole.get('cudnn_benchmark'))
    before, driver = used_gib() if device == 'cuda' else (None, None)
    workload = Workload(whole, library, arguments.path, device)
    values = times(workload, arguments)
    conditions = {'library': library, 'warmup': arguments.warmup, 'steps': arguments.measured_steps, 'torch': torch.__version__,
                  'date': datetime.date.today().isoformat(), 'device': device}
    if device == 'cuda':
        values['allocated'] = torch.cuda.max_memory_allocated() / GIB
        values['reserved'] = torch.cuda.max_memory_reserved() / GIB
        after = used_gib()[0]
        if before is not None and after is not None:
            values['device'] = after - before
        else:
            free, total = torch.cuda.mem_get_info()
            values['device'] = (total - free) / GIB
            conditions['device_memory'] = 'of the whole card, other processes included'
        name = torch.cuda.get_device_name()
        whole.setdefault('gpu', name)
        conditions.update(gpu_as_printed=name, cuda=torch.version.cuda or torch.version.hip, driver=driver, cudnn=torch.backends.cudnn.version())
    return values, conditions
